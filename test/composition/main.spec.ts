import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
import { takenPort } from './petstores.ts';

const PETSTORE = fileURLToPath(new URL('../../src/petstore.ts', import.meta.url));

type OnOutput = (output: string, stop: (signal?: NodeJS.Signals) => void, closeOutput: () => void) => unknown;
type Environment = Readonly<Record<string, string>>;

describe('The program', () => {
  const folder = freshFolder();

  /** Starts it with only the given variables; `onOutput` and `onError` receive its output so far. */
  async function run(args: string[], environment: Environment, onOutput?: OnOutput, onError?: OnOutput) {
    const ordinary = { DATABASE_URL: 'memory:', PORT: '0', PETSTORE_MAX_EVENT_LOOP_LAG_MS: '60000' };
    const env = { PATH: process.env['PATH'] ?? '', ...ordinary, ...environment };
    const child = spawn(process.execPath, [PETSTORE, ...args], {
      cwd: folder(),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    const stop = (signal: NodeJS.Signals = 'SIGTERM') => void child.kill(signal);
    child.stdout.on('data', (part: Buffer) => {
      out += part;
      onOutput?.(out, stop, () => child.stdout.destroy());
    });
    child.stderr.on('data', (part: Buffer) => {
      err += part;
      onError?.(err, stop, () => child.stderr.destroy());
    });
    const [code, signal] = await once(child, 'close');
    return { code, signal, out, err };
  }

  it('does not start with an invalid setting: it prints one line, and creates nothing', async () => {
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

  it('reports all invalid settings at once, a line for each', async () => {
    const { code, out, err } = await run([], { PORT: 'http', PETSTORE_DEMO: 'maybe', PETSTORE_MAX_URL_BYTES: '1' });

    expect([code, out]).to.deep.equal([2, '']);
    expect(err).to.match(/^petstore: PORT .*\npetstore: PETSTORE_DEMO .*\npetstore: PETSTORE_MAX_URL_BYTES .*\n$/);
  });

  it('does not start on a port in use: it prints one line, and creates nothing', async () => {
    const { port, giveBack } = await takenPort();

    const { code, out, err } = await run([], { DATABASE_URL: 'sqlite:./data/store.db', PORT: String(port) });

    await giveBack();
    expect([code, out]).to.deep.equal([2, '']);
    expect(err)
      .to.match(/^petstore: PORT [^\n]+\n$/)
      .and.to.include(String(port));
    expect(existsSync(join(folder(), 'data'))).to.equal(false);
  });

  it('keeps serving when the reader of its log has closed the pipe', async () => {
    let answer: Promise<number> | undefined;
    const { code, err } = await run([], { PETSTORE_DEMO: 'off' }, (output, stop, closeOutput) => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (url === undefined || answer) return;
      closeOutput();
      answer = fetch(`${url}/pets`, { headers: { Connection: 'close' } }).then(({ status }) => {
        stop();
        return status;
      });
    });

    expect(await answer).to.equal(200);
    expect([code, err]).to.deep.equal([0, '']);
  });

  it('ends without a stack when the reader of a command closes the pipe early', async () => {
    const { code, err } = await run(['openapi'], {}, (_output, _stop, closeOutput) => closeOutput());

    expect([code, err]).to.deep.equal([0, '']);
  });

  it('serves until SIGTERM, logs in lines of JSON, and exits with 0', async () => {
    let answer: Promise<number> | undefined;
    const { code, out, err } = await run([], { PETSTORE_DEMO: 'off', PETSTORE_UNSTABEL: 'off' }, (output, stop) => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
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
    expect(lines[0]).to.include({ level: 'warn', variable: 'PETSTORE_UNSTABEL', didYouMean: 'PETSTORE_UNSTABLE' });
    expect(lines.map(({ level }) => level)).to.not.include('error');
  });

  for (const [name, message, timeout = '60000'] of [
    ['unhandled', 'it caused an unhandled rejection: the licence server is away.'],
    ['unhandled-at-opening', 'it caused an unhandled rejection: the cache is away.'],
    ['undefined-thrown', 'it cannot be loaded: undefined was thrown.'],
    ['never-loaded', 'it did not load within 3 s.', '3000'],
    ['never-imported', 'it did not load within 3 s.', '3000'],
    ['never-open', 'its storage did not open within 3 s.', '3000'],
  ] as const) {
    it(`does not start with an adapter that fails unusually, and prints one line: ${name}`, async () => {
      const path = relative(folder(), fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url)));
      const { code, out, err } = await run([], { PETSTORE_ADAPTERS: path, PETSTORE_ADAPTER_TIMEOUT_MS: timeout });

      expect([code, out, err]).to.deep.equal([2, '', `petstore: PETSTORE_ADAPTERS was "${path}"; ${message}\n`]);
    });
  }

  it('writes its log to standard error if that is set', async () => {
    const { code, out, err } = await run([], { PETSTORE_LOG_TO: 'stderr', PORT: '0' }, undefined, (output, stop) => {
      if (output.includes('http://') && !output.includes('shutting down')) stop();
    });

    expect([code, out]).to.deep.equal([0, '']);
    expect(err).to.include('http://127.0.0.1:').and.to.include('shutting down');
  });

  it('exits on SIGTERM, whatever an adapter leaves open', async () => {
    const path = relative(folder(), fileURLToPath(new URL('fixtures/restless.ts', import.meta.url)));
    const { code, out } = await run([], { PETSTORE_ADAPTERS: path, PETSTORE_DEMO: 'off' }, (output, stop) => {
      if (output.includes('is ready') && !output.includes('shutting down')) stop();
    });

    expect(code).to.equal(0);
    expect(out).to.include('shutdown complete');
  });

  it('exits at once on a second signal, whichever', async () => {
    let connection: Socket | undefined;
    const { signal, out } = await run([], { PETSTORE_DEMO: 'off' }, (output, stop) => {
      const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (output.includes('shutting down')) stop('SIGINT');
      else if (port !== undefined && !connection) {
        connection = connect(Number(port), '127.0.0.1', () =>
          connection?.write(
            'POST /categories HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n',
          ),
        );
        connection.on('error', () => undefined);
        // It is in progress now, and does not end by itself.
        connection.once('data', () => stop());
      }
    });

    connection?.destroy();
    expect(signal).to.equal('SIGINT');
    expect(out.match(/shutting down/g)).to.have.lengthOf(1);
  });

  it("administers a store of another team's adapter, whatever DATABASE_URL says", async () => {
    const path = relative(folder(), fileURLToPath(new URL('fixtures/storage.ts', import.meta.url)));
    const theirs = { PETSTORE_ADAPTERS: path, DATABASE_URL: '', PETSTORE_AUTH: 'api-key' };

    expect(await run(['audit'], theirs)).to.include({ code: 0, out: '0 pets audited, 0 rules broken\n' });
    expect(await run(['keys', 'list', '--json'], { ...theirs, DATABASE_URL: 'memory:' })).to.include({ code: 0 });
    expect(await run(['audit'], { DATABASE_URL: '' })).to.include({ code: 2, out: '' });
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

    for (const flag of ['--version', '-V']) {
      expect(await run([flag], {})).to.include({ code: 0, out: `${version}\n`, err: '' });
    }
  });

  for (const [args, says] of [
    [['adit'], "unknown command 'adit' (Did you mean audit?)"],
    [['server'], "unknown command 'server' (Did you mean serve?)"],
    [['keys', 'crate'], "unknown command 'crate' (Did you mean create?)"],
    [['frobnicate', '--all'], "unknown command 'frobnicate'; petstore --help lists the commands"],
    [['--verison'], "unknown option '--verison' (Did you mean --version?)"],
  ] as const) {
    it(`reports what it does not know in petstore ${args.join(' ')}, and starts nothing`, async () => {
      const { code, out, err } = await run([...args], { DATABASE_URL: 'sqlite:./data/store.db' });

      expect([code, out, err]).to.deep.equal([2, '', `petstore: ${says}\n`]);
      expect(existsSync(join(folder(), 'data'))).to.equal(false);
    });
  }

  it('prints the document with its settings, without opening a store', async () => {
    const environment = { DATABASE_URL: 'sqlite:./data/store.db', PETSTORE_BASE_PATH: '/v1', PETSTORE_UNSTABLE: 'off' };

    const { code, out } = await run(['openapi'], environment);

    expect(code).to.equal(0);
    const document = JSON.parse(out);
    expect(document.servers[0].url).to.equal('/v1');
    expect(document.paths).to.include.keys('/pets').and.not.have.any.keys('/pets/batch');
    expect(existsSync(join(folder(), 'data'))).to.equal(false);
  });
});
