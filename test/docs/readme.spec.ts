import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createPetstore, type Petstore } from '../../src/composition/create-petstore.ts';
import { PATIENT } from '../support/running-petstore.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { pageText } from './pages.ts';

const CURL = fileURLToPath(new URL('../support/curl.mjs', import.meta.url));

/** A block of commands, and the responses that the README shows after it. */
interface Step {
  readonly commands: string;
  readonly responses: string;
}

/** Headers that the README leaves out, because every response has them or the connection does. */
const COMMON =
  /^(?:x-request-id|api-version|vary|cache-control|content-type|content-length|date|connection|keep-alive|access-control-[\w-]+): /i;

/** What differs from run to run. */
function normalized(text: string, ids: { readonly pet: string; readonly order: string }): string {
  return text
    .split('\n')
    .filter((line) => !COMMON.test(line))
    .map((line) => line.replace(/^[\w-]+: /, (name) => name.toLowerCase()))
    .sort((a, b) => Number(isHeader(b)) - Number(isHeader(a)) || (isHeader(a) && isHeader(b) ? a.localeCompare(b) : 0))
    .filter((line) => line.trim() !== '')
    .join('\n')
    .replaceAll(/"requestId":"[^"]+"/g, '"requestId":"…"')
    .replaceAll(/"at":"[^"]+"/g, '"at":"…"')
    .replaceAll(/(\[|,)\{"id":\d+,"petId"/g, '$1{"id":"…","petId"')
    .replaceAll(/^etag: .+$/gm, 'etag: …')
    .replaceAll(/cursor=[\w.-]+/g, 'cursor=…')
    .replaceAll(new RegExp(`([Pp]et |"petId":)${ids.pet}\\b`, 'g'), '$1PET')
    .replaceAll(new RegExp(`("id":|orders/|"orderId":)${ids.order}\\b`, 'g'), '$1ORDER');
}

function isHeader(line: string): boolean {
  return /^(?:etag|link|location|idempotent-replayed): /.test(line);
}

describe('The README', () => {
  const readme = pageText('README.md');

  it('has the two commands that a newcomer needs', () => {
    expect(readme).to.match(/^ {4}npm ci && npm start$/m);
    expect(readme).to.match(/^ {4}npm ci && npm test$/m);
  });

  it('has no comment behind a command, which zsh would take for arguments', () => {
    const commands = Array.from(readme.matchAll(/```sh\n(.*?)```/gs), ([, block = '']) => block).join('');

    expect(commands).to.include('curl').and.not.match(/\s#/);
  });

  describe('has a tour', () => {
    const tour = readme.slice(readme.indexOf('## A short tour'), readme.indexOf('## A petstore per test'));
    const steps: Step[] = Array.from(
      tour.matchAll(/```sh\n(.*?)```(?:\n\n```http\n(.*?)```)?/gs),
      ([, commands = '', responses = '']) => ({ commands, responses }),
    );
    let petstore: Petstore;
    let folder: string;

    before(async () => {
      petstore = await createPetstore({
        port: 0,
        databaseUrl: 'memory:',
        logLevel: 'silent',
        limits: PATIENT,
        demo: true,
      });
      folder = await temporaryFolder();
      await symlink(CURL, join(folder, 'curl'));
    });

    after(async () => {
      await petstore.close();
      await removeFolder(folder);
    });

    /** Pastes the whole tour into a shell, and returns what each step printed. */
    async function taken(): Promise<string[]> {
      const script = steps.map(({ commands }) => `${commands}printf '%s\\n' '-- next --'\n`).join('');
      const { stdout } = await promisify(execFile)(
        'sh',
        ['-ec', script.replace('http://localhost:8080', petstore.url)],
        { env: { PATH: [folder, dirname(process.execPath), process.env['PATH']].join(delimiter) } },
      );
      return stdout.split('-- next --\n').slice(0, -1);
    }

    function idsIn(text: string) {
      return {
        pet: /"petId":(\d+)/.exec(text)?.[1] ?? '',
        order: /"orderId":(\d+)/.exec(text)?.[1] ?? '',
      };
    }

    for (const time of ['once', 'and again']) {
      it(`with the responses that it shows, ${time}`, async function () {
        if (process.platform === 'win32') this.skip();
        const printed = await taken();
        const all = idsIn(printed.join(''));
        const shown = idsIn(steps.map(({ responses }) => responses).join(''));

        expect(printed).to.have.lengthOf(steps.length);
        for (const [i, { commands, responses }] of steps.entries()) {
          expect(normalized(printed[i] ?? '', all), commands).to.equal(normalized(responses, shown));
        }
      });
    }

    it('with a list that has a next page', () => {
      expect(steps.some(({ responses }) => responses.includes('rel="next"'))).to.equal(true);
    });
  });
});
