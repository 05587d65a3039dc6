import { runInNewContext } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { compressedScalar, compressScalar } from '../../../src/adapters/http/koa/scalar.ts';
import type { OpenApi } from '../../support/document-check.ts';
import { OVER_FETCH, runningPetstore } from '../../support/running-petstore.ts';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
};

/** The arguments that the start script passes to Scalar. */
interface Configuration {
  readonly content: OpenApi;
  readonly [option: string]: unknown;
}

describe('The reference page', () => {
  const store = runningPetstore();

  const page = () => store.get('/docs');
  const filesOf = (html: string) =>
    Array.from(
      html.matchAll(/(?:src|href)="([^"]+)"/g),
      ([, address = '']) => new URL(address, 'http://localhost/docs').pathname,
    );

  /** Runs the start script on a document, with the few browser objects that it uses. */
  async function start(document?: OpenApi): Promise<Configuration> {
    const { text } = await store.get('/docs/start.js');
    let given: Configuration | undefined;
    const browser = {
      fetch: async (path: string) => ({
        json: async () => structuredClone(document ?? (await store.get<OpenApi>(path.replace('./', '/'))).body),
      }),
      document: { body: {} },
      MutationObserver: class {
        observe(): void {}
      },
      Scalar: {
        createApiReference: (_place: string, configuration: Configuration) => {
          given = configuration;
        },
      },
    };
    await runInNewContext(`(async () => {${text}})()`, browser);
    return given ?? expect.fail('the page starts nothing');
  }

  const operationOf = ({ content }: Configuration, method: string, path: string) =>
    content.paths[path]?.[method] ?? expect.fail(`no ${method} ${path}`);

  it('is a page with a title, for people', async () => {
    const { status, text, header } = await page();

    expect(status).to.equal(200);
    expect(header('content-type')).to.equal('text/html; charset=utf-8');
    expect(text)
      .to.match(/<title>[^<]+<\/title>/)
      .and.to.include('<html lang="en">');
  });

  it('gets every file that it needs from this service, with the right type', async () => {
    const files = [...filesOf((await page()).text).filter((file) => file.includes('.')), '/openapi.json'];

    expect(files).to.include.members(['/docs/scalar.js', '/docs/start.js', '/docs/petstore.css', '/docs/pet.svg']);
    for (const file of files) {
      expect(file, 'an address of this service').to.match(/^\/[^/]/);
      if (file.endsWith('.yaml')) continue;
      const { status, header, bytes } = await store.get(file);
      expect(status, file).to.equal(200);
      expect(header('content-type'), file).to.equal(TYPES[file.split('.').at(-1) ?? '']);
      expect(header('x-content-type-options'), file).to.equal('nosniff');
      expect(bytes, file).to.have.length.above(100);
    }
  });

  it('names no other address, and switches off what would call one', async () => {
    const { text: script } = await store.get('/docs/start.js');

    for (const text of [(await page()).text, script]) expect(text).to.not.match(/https?:|["'(]\/\/[a-z]/);
    const { agent, mcp, telemetry, withDefaultFonts, showDeveloperTools, hideClientButton } = await start();
    expect({ agent, mcp, telemetry, withDefaultFonts, showDeveloperTools, hideClientButton }).to.deep.equal({
      agent: { disabled: true },
      mcp: { disabled: true },
      telemetry: false,
      withDefaultFonts: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
    });
  });

  it('may load and call nothing but this service', async () => {
    const policy = new Map(
      ((await page()).header('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources];
      }),
    );

    expect(Object.fromEntries(policy)).to.deep.equal({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'connect-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    });
    expect((await page()).text).to.not.match(/<script>|<script [^>]*>[^<]|\son\w+=|\sstyle=/);
  });

  it('shows the stability of an operation, and until when a deprecated one works', async () => {
    const configuration = await start();
    const badgesOf = (method: string, path: string) => {
      const { 'x-badges': badges = [] } = operationOf(configuration, method, path) as {
        'x-badges'?: { name: string }[];
      };
      return Array.from(badges, ({ name }) => name);
    };

    expect(badgesOf('get', '/pets')).to.deep.equal([]);
    expect(badgesOf('post', '/pets/batch')).to.deep.equal(['Beta']);
    expect(badgesOf('get', '/pets/{petId}')).to.deep.equal(['Until 2027-12-31']);
  });

  it('leaves optional parameters empty in the requests that it prepares', async () => {
    const configuration = await start();
    const { components } = configuration.content as unknown as {
      components: { parameters?: Record<string, { example?: unknown; required?: boolean }> };
    };
    const inline = Object.values(configuration.content.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ parameters }) => parameters ?? []),
    ) as { example?: unknown; required?: boolean }[];

    const all = [...inline, ...Object.values(components.parameters ?? {})];
    expect(all.filter((parameter) => parameter.required === false && 'example' in parameter)).to.deep.equal([]);
    expect(all.filter((parameter) => parameter.required === true && 'example' in parameter)).to.have.length.above(0);
  });

  it('shows no lock where no credential is needed, and asks for the first kind of credential otherwise', async () => {
    const open = await start();
    expect(operationOf(open, 'get', '/pets')).to.not.have.property('security');
    expect(open.content).to.not.have.nested.property('components.securitySchemes');

    const document = structuredClone(store.document);
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      Object.assign(operation, { security: [{ ApiKey: [] }, { Bearer: [] }] });
    }
    const closed = await start(document);
    expect(operationOf(closed, 'get', '/pets')).to.have.property('security');
    expect(closed['authentication']).to.deep.equal({ preferredSecurityScheme: 'ApiKey' });
  });

  it('says how browsers with a credential read the stream of events, once there is one', async () => {
    const secured = (path: string) => {
      const operation = { security: [{ ApiKey: [] }], responses: {} };
      const { info, components } = store.document as unknown as { info: object; components: object };
      return { info, components, paths: { [path]: { get: operation } } } as unknown as OpenApi;
    };
    const descriptionOf = async (path: string) =>
      ((await start(secured(path))).content as unknown as { info: { description: string } }).info.description;

    expect(await descriptionOf('/store/events')).to.include('with a streaming `fetch`');
    expect(await descriptionOf('/store/orders')).to.not.include('streaming');
  });

  it('links to each operation by its name', async () => {
    const { generateOperationSlug: slugOf } = await start();

    expect(
      (slugOf as (operation: object) => string)({ operationId: 'getPet', method: 'get', path: '/pets/7' }),
    ).to.equal('getPet');
  });

  it('serves its largest script compressed to clients that accept Brotli, under another tag', async function () {
    // Over `fetch`, the host compresses the response.
    if (OVER_FETCH) this.skip();
    const plain = await store.get('/docs/scalar.js');
    const compressed = await store.get('/docs/scalar.js', { 'Accept-Encoding': 'gzip, br' });
    const refused = await store.get('/docs/scalar.js', { 'Accept-Encoding': 'br;q=0, identity' });

    expect(compressed.header('content-encoding')).to.equal('br');
    expect(compressed.header('content-length')).to.equal(String((await compressedScalar()).length));
    expect(compressed.bytes.equals(plain.bytes)).to.equal(true);
    expect(compressed.header('etag')).to.not.equal(plain.header('etag'));
    expect(refused.header('content-encoding')).to.equal(undefined);
    for (const answer of [plain, compressed, refused]) expect(answer.header('vary')).to.include('Accept-Encoding');
  });

  it('takes that script as it is from the package that it comes from', async () => {
    const served = await store.get('/docs/scalar.js');

    expect(brotliDecompressSync(await compressScalar(1)).equals(served.bytes)).to.equal(true);
    expect(served.text).to.include('createApiReference');
  });

  it('serves nothing else under its path', async () => {
    for (const file of ['package.json', 'index.html', '..%2f..%2fpackage.json', 'scalar.js.br', '']) {
      expect((await store.get(`/docs/${file}`)).status, file).to.equal(404);
    }
    // The URL of a Request resolves such a path.
    if (!OVER_FETCH) expect((await store.get('/docs/%2e%2e')).status).to.equal(404);
  });

  it('is not sent again to clients that have it', async () => {
    for (const file of ['/docs', '/docs/start.js', '/docs/scalar.js', '/docs/petstore.css', '/docs/reference.css']) {
      const etag = (await store.get(file)).header('etag') ?? expect.fail(`${file} has no ETag`);
      const { status, bytes } = await store.get(file, { 'If-None-Match': etag });
      expect(status, file).to.equal(304);
      expect(bytes).to.have.length(0);
    }
  });
});
