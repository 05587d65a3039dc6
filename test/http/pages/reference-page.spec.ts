import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { DocumentCheck } from '../../support/document-check.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
};

/** What the start script gives to Swagger UI. */
interface Start {
  readonly url: string;
  readonly validatorUrl: null;
  readonly plugins: readonly (() => { wrapComponents: { OperationSummaryPath: Wrap } })[];
  responseInterceptor(response: { ok: boolean; url: string; text: string }): { text: string };
}

type Wrap = (original: string, system: object) => (props: object) => readonly unknown[];

describe('The reference page', () => {
  const store = runningPetstore();

  const page = () => store.get('/docs');
  const filesOf = (html: string) => Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, address = '']) => address);

  async function start(): Promise<Start> {
    const { text } = await store.get('/docs/start.js');
    let given: Start | undefined;
    const bundle = (options: Start) => {
      given = options;
    };
    runInNewContext(text, { SwaggerUIBundle: bundle, window: {} });
    return given ?? expect.fail('the page starts nothing');
  }

  it('is a page with a title, for people', async () => {
    const { status, text, header } = await page();

    expect(status).to.equal(200);
    expect(header('content-type')).to.equal('text/html; charset=utf-8');
    expect(text)
      .to.match(/<title>[^<]+<\/title>/)
      .and.to.include('<html lang="en">');
  });

  it('gets every file that it needs from this service, with the right type', async () => {
    const files = [...filesOf((await page()).text), (await start()).url];

    expect(files).to.have.length.above(3);
    for (const file of files) {
      expect(file, 'an address of this service').to.match(/^\/[^/]/);
      const { status, header, bytes } = await store.get(file);
      expect(status, file).to.equal(200);
      expect(header('content-type'), file).to.equal(TYPES[file.split('.').at(-1) ?? '']);
      expect(header('x-content-type-options'), file).to.equal('nosniff');
      expect(bytes, file).to.have.length.above(100);
    }
  });

  it('names no other address, and asks nobody whether the document is valid', async () => {
    const { text: script } = await store.get('/docs/start.js');

    for (const text of [(await page()).text, script]) expect(text).to.not.match(/(?:https?:)?\/\/[a-z]/i);
    expect((await start()).validatorUrl).to.equal(null);
  });

  it('may load and ask nothing but this service', async () => {
    const policy = new Map(
      ((await page()).header('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources];
      }),
    );

    expect(policy.get('default-src')).to.deep.equal(["'none'"]);
    expect(policy.get('script-src')).to.deep.equal(["'self'"]);
    expect(policy.get('connect-src')).to.deep.equal(["'self'"]);
    for (const name of ['base-uri', 'form-action', 'frame-ancestors'])
      expect(policy.get(name)).to.deep.equal(["'none'"]);
    for (const [name, sources] of policy) {
      const allowed = name === 'style-src' ? ["'self'", "'unsafe-inline'"] : ["'none'", "'self'", 'data:'];
      expect(allowed, name).to.include.members(sources);
    }
    expect((await page()).text).to.not.match(/<script>|<script [^>]*>[^<]|\son\w+=/);
  });

  it('shows badges, and until when a deprecated operation works', async () => {
    const [plugin = expect.fail('there is no plugin')] = (await start()).plugins;
    const badgesOf = (path: string, method: string) => {
      const operation = store.document.paths[path]?.[method];
      const system = {
        React: { Fragment: 'fragment', createElement: (...parts: unknown[]) => parts },
        specSelectors: { specJson: () => ({ getIn: () => ({ toJS: () => operation }) }) },
      };
      const props = { operationProps: { toObject: () => ({ path, method }) } };
      const [, , , ...badges] = plugin().wrapComponents.OperationSummaryPath('the path', system)(props);
      return badges.map((badge) => (badge as unknown[]).at(-1));
    };

    expect(badgesOf('/pets', 'get')).to.deep.equal([]);
    expect(badgesOf('/pets/batch', 'post')).to.deep.equal(['Beta']);
    expect(badgesOf('/pets/{petId}', 'get')).to.deep.equal(['Until 2027-12-31']);
  });

  it('leaves what is optional empty for whoever tries an operation', async () => {
    const { responseInterceptor, url } = await start();
    const { text } = await store.get(url);
    const read = responseInterceptor({ ok: true, url: `http://localhost${url}`, text });
    const document = JSON.parse(read.text) as typeof store.document;

    const check = DocumentCheck.by(JSON.stringify(document));
    const examples = (path: string) =>
      check
        .parametersOf(document.paths[path]?.['get'] ?? expect.fail(path))
        .filter((parameter) => 'example' in parameter)
        .map(({ name }) => name);
    expect(examples('/pets')).to.deep.equal([]);
    expect(examples('/store/pets/{petId}')).to.deep.equal(['petId']);
    expect(responseInterceptor({ ok: true, url: 'http://localhost/pets', text: 'as it is' }).text).to.equal('as it is');
  });

  it('shows no closed lock where a credential is optional', async () => {
    const { responseInterceptor, url } = await start();
    const locked = (security: readonly object[]) => {
      const paths = { '/pets': { get: { security, parameters: [] } } };
      const given = { ok: true, url: `http://localhost${url}`, text: JSON.stringify({ paths }) };
      const shown = JSON.parse(responseInterceptor(given).text) as typeof store.document;
      return 'security' in (shown.paths['/pets']?.['get'] ?? expect.fail());
    };

    expect(store.document.paths['/pets']?.['get']?.security).to.deep.include({});
    expect(locked([{}, { ApiKey: [] }, { Bearer: [] }])).to.equal(false);
    expect(locked([{ ApiKey: [] }, { Bearer: [] }])).to.equal(true);
  });

  it('serves no other file of the package that it is made of', async () => {
    for (const file of ['package.json', 'index.html', '%2e%2e', '..%2f..%2fpackage.json', 'swagger-ui.js', '']) {
      expect((await store.get(`/docs/${file}`)).status, file).to.equal(404);
    }
  });

  it('is not sent again to whoever has it', async () => {
    for (const file of ['/docs', '/docs/swagger-ui.css', '/openapi.json', '/openapi.yaml']) {
      const etag = (await store.get(file)).header('etag') ?? expect.fail(`${file} has no ETag`);
      const { status, bytes } = await store.get(file, { 'If-None-Match': etag });
      expect(status, file).to.equal(304);
      expect(bytes).to.have.length(0);
    }
  });
});
