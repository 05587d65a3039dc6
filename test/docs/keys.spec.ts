import { expect } from 'chai';
import { program } from '../../src/adapters/cli/program.ts';
import { SCOPES } from '../../src/domain/scope.ts';
import { coded, pageText, rowsOf } from './pages.ts';

describe('The section about keys', () => {
  const [, section = ''] = /^## Keys\n(.*?)^## /ms.exec(pageText('docs/operating.md')) ?? [];

  it('has all commands and all of their options', () => {
    const nothing = async () => undefined;
    const terminal = {
      out: () => undefined,
      err: () => undefined,
      exit: () => expect.fail(),
      exitCode: () => undefined,
    };
    const keys = { withKeyDesk: nothing, parseDateTime: () => undefined };
    const conformance = { subjects: [], run: async function* () {}, reportOf: async function* () {} };
    const commands = program(
      { version: '1.2.3', serve: nothing, audit: nothing, printDocument: nothing, keys, conformance },
      terminal,
    )
      .commands.filter((command) => command.name() === 'keys')
      .flatMap((command) => command.commands);

    const shown = commands.map((command) => {
      const options = command.options.map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`));
      const facts = command.registeredArguments.map((argument) => `<${argument.name()}>`);
      return ['petstore keys', command.name(), ...facts, ...options].join(' ');
    });

    const documented = rowsOf(section, 'command', 'what it does').map(([command = '']) =>
      coded(command)[0]?.replaceAll('\\|', '|'),
    );
    expect(shown).to.have.length.above(3);
    expect(documented).to.deep.equal(shown);
  });

  it('has every scope', () => {
    const listed = /^The scopes are .*?\.$/ms.exec(section)?.[0] ?? '';

    expect(coded(listed)).to.deep.equal(SCOPES);
  });
});
