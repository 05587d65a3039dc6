import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
import { takenPort } from './petstores.ts';

const PETSTORE = fileURLToPath(new URL('../../src/petstore.ts', import.meta.url));

type Environment = Readonly<Record<string, string>>;

describe('The program', () => {
  const folder = freshFolder();

  /** Starts it with nothing set but what is given; `onOutput` sees what it has said so far. */
  async function run(args: string[], environment: Environment, onOutput?: (said: string, stop: () => void) => unknown) {
    const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: 'memory:', PORT: '0', ...environment };
    const child = spawn(process.execPath, [PETSTORE, ...args], {
      cwd: folder(),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (part: Buffer) => {
      out += part;
      onOutput?.(out, () => child.kill('SIGTERM'));
    });
    child.stderr.on('data', (part: Buffer) => (err += part));
    const [code] = await once(child, 'close');
    return { code, out, err };
  }

  it('does not start when it is set wrongly: one line says what, and nothing was made', async () => {
    for (const [variable, value] of [
      ['HOST', '0.0.0.0'],
      ['PETSTORE_DEMO', 'maybe'],
    ] as const) {
      const { code, out, err } = await run([], { DATABASE_URL: 'sqlite:./data/store.db', [variable]: value });

      expect([code, out]).to.deep.equal([2, '']);
      expect(err).to.match(/^petstore: [^\n]+\n$/);
      expect(err).to.include(variable).and.to.include(JSON.stringify(value));
      expect(existsSync(join(folder(), 'data'))).to.equal(false);
    }
  });

  it('does not start on a port in use: one line says so, and nothing was made', async () => {
    const { port, giveBack } = await takenPort();

    const { code, out, err } = await run([], { DATABASE_URL: 'sqlite:./data/store.db', PORT: String(port) });

    await giveBack();
    expect([code, out]).to.deep.equal([2, '']);
    expect(err)
      .to.match(/^petstore: PORT [^\n]+\n$/)
      .and.to.include(String(port));
    expect(existsSync(join(folder(), 'data'))).to.equal(false);
  });

  it('serves until it is told to stop, says so line by line in JSON, and ends well', async () => {
    let answer: Promise<number> | undefined;
    const { code, out, err } = await run([], { PETSTORE_DEMO: 'off', PETSTORE_UNSTABEL: 'off' }, (said, stop) => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (url === undefined || answer) return;
      answer = fetch(`${url}/pets`, { headers: { Connection: 'close' } }).then(({ status }) => {
        stop();
        return status;
      });
    });

    expect(await answer).to.equal(200);
    expect([code, err]).to.deep.equal([0, '']);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).to.include({ level: 'warn', variable: 'PETSTORE_UNSTABEL' });
    expect(lines.map(({ level }) => level)).to.not.include('error');
  });

  it('prints the document as it is set, without touching a store', async () => {
    const environment = { DATABASE_URL: 'sqlite:./data/store.db', PETSTORE_BASE_PATH: '/v1', PETSTORE_UNSTABLE: 'off' };

    const { code, out } = await run(['openapi'], environment);

    expect(code).to.equal(0);
    const document = JSON.parse(out);
    expect(document.servers[0].url).to.equal('/v1');
    expect(document.paths).to.include.keys('/pets').and.not.have.any.keys('/pets/batch');
    expect(existsSync(join(folder(), 'data'))).to.equal(false);
  });
});
