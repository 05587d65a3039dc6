import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { html } from '../../../src/adapters/http/endpoints/html.ts';
import { ERROR_CODES } from '../../../src/api/errors/error-catalogue.ts';
import { type Circumstances, runningPetstore } from '../../support/running-petstore.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };

const WAYS: Readonly<Record<string, Circumstances>> = {
  'as it is': {},
  'under a base path': { basePath: '/v1' },
  'without unstable operations': { unstable: false },
};

for (const [way, circumstances] of Object.entries(WAYS)) {
  describe(`The landing page of a service ${way}`, () => {
    const store = runningPetstore(circumstances);

    it('is HTML for browsers, and JSON for programs', async () => {
      const page = await store.get('/', BROWSER);
      const data = await store.get('/');

      expect([page.status, page.header('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect([data.status, data.header('content-type')]).to.deep.equal([200, 'application/json']);
      expect(data.body).to.deep.include({ name: 'Petstore', version: '1.0.0' });
      expect((await store.get('/', { Accept: '*/*' })).text).to.equal(data.text);
      for (const answer of [page, data]) expect(answer.header('vary')).to.include('Accept');
      expect(page.header('etag')).to.not.equal(data.header('etag'));
    });

    it('answers HEAD, and 304 to clients that have it', async () => {
      for (const headers of [BROWSER, { Accept: 'application/json' }]) {
        const { rawHeaders: _, ...full } = await store.get('/', headers);
        const head = await store.head('/', headers);
        const again = await store.get('/', { ...headers, 'If-None-Match': full.header('etag') ?? '' });

        expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
        for (const name of ['etag', 'content-type', 'content-length']) {
          expect(head.header(name), name).to.equal(full.header(name));
        }
        expect([again.status, again.bytes.length]).to.deep.equal([304, 0]);
      }
    });

    it('has links to what exists, the same for people and for programs', async () => {
      const { links } = (await store.get<{ links: Record<string, string> }>('/')).body;
      const inPage = linksIn((await store.get('/', BROWSER)).text);

      expect(Object.keys(links)).to.include.members([
        'reference',
        'openapiJson',
        'openapiYaml',
        'errors',
        'live',
        'ready',
        'metrics',
      ]);
      for (const link of [...Object.values(links), ...inPage]) {
        expect((await store.get(link)).status, link).to.equal(200);
      }
      const pages = Object.values(links).filter((link) => !/\/(?:pets|categories|orders|inventory)$/.test(link));
      expect(inPage).to.include.members(pages);
    });

    it('has commands that work as they are written', async () => {
      const commands = commandsIn((await store.get('/', BROWSER)).text);

      expect(commands).to.have.length.above(3);
      const codes: unknown[] = [];
      for (const command of commands) {
        const printed = await run(command, { PETSTORE: store.url });
        codes.push((JSON.parse(printed) as { code?: string }).code);
      }
      expect(codes).to.deep.equal([undefined, undefined, 'validation_failed', 'validation_failed']);
    });

    it('names no address that it took from the request', async () => {
      const page = await store.get('/', { ...BROWSER, Host: 'localhost:4711' });

      expect(page.text).to.not.match(/localhost|4711|127\.0\.0\.1|https?:/);
    });
  });
}

describe('The landing page of a service that requires keys', () => {
  const KEY = { PETSTORE_KEY: 'a key' };
  const store = runningPetstore({ storage: 'sqlite', auth: ['api-key'] });

  it('is for everyone, and its commands send the key', async () => {
    const page = await store.get('/', BROWSER);

    expect(page.status).to.equal(200);
    expect((await store.get('/')).status).to.equal(200);
    expect(page.text).to.include('set <code>PETSTORE_KEY</code>');
    const refusals = commandsIn(page.text).map((command) => run(command, { PETSTORE: store.url, ...KEY }));
    const codes = (await Promise.all(refusals)).map((printed) => (JSON.parse(printed) as { code?: string }).code);
    expect(codes).to.deep.equal(['unauthenticated', 'unauthenticated', 'unauthenticated', 'validation_failed']);
    expect(commandsIn(page.text).filter((command) => command.includes('Bearer $PETSTORE_KEY'))).to.have.length(3);
  });
});

describe('The landing page of a service that knows its public address', () => {
  const store = runningPetstore({ publicUrl: 'https://api.example/petstore', basePath: '/v1' });

  it('names it in the links for programs and in the commands', async () => {
    const { links } = (await store.get<{ links: Record<string, string> }>('/')).body;
    const { text } = await store.get('/', BROWSER);

    expect(links).to.deep.include({
      reference: 'https://api.example/petstore/docs',
      pets: 'https://api.example/petstore/v1/pets',
    });
    expect(commandsIn(text)[0]).to.equal('curl -s "https://api.example/petstore/v1/pets?status=available&limit=3"');
    expect(text).to.not.include('$PETSTORE').and.not.include('<noscript>');
    expect(linksIn(text)).to.include('/docs');
  });
});

describe('Every page', () => {
  const store = runningPetstore();
  const PATHS = ['/', '/errors', '/errors/nothing', ...ERROR_CODES.map((code) => `/errors/${code}`)];

  it('has a title, a viewport, a colour scheme, landmarks and links to continue, and nothing inline', async () => {
    for (const path of PATHS) {
      const { text, header } = await store.get(path, BROWSER);

      expect(text, path).to.match(/^<!doctype html>\n<html lang="en">/);
      expect(text, path).to.match(/<title>[^<]+<\/title>/);
      expect(text).to.include('<meta name="viewport" content="width=device-width, initial-scale=1">');
      expect(text).to.include('<meta name="color-scheme" content="light dark">');
      for (const landmark of ['header', 'nav', 'main', 'h1']) {
        expect(text.match(new RegExp(`<${landmark}[ >]`, 'g')), `${landmark} of ${path}`).to.have.length(1);
      }
      expect(linksIn(text, path), path).to.include.members(['/', '/docs', '/errors']);
      expect(text).to.not.match(/<script>|<style|\sstyle=|\son\w+=/);
      expect(header('content-security-policy'))
        .to.match(/^default-src 'none'; /)
        .and.not.include('unsafe');
      expect(header('x-content-type-options')).to.equal('nosniff');
      expect(header('referrer-policy')).to.equal('no-referrer');
    }
  });

  it('links only to what exists', async () => {
    const links = new Set<string>();
    for (const path of PATHS) for (const link of linksIn((await store.get(path, BROWSER)).text, path)) links.add(link);

    for (const link of links) expect((await store.get(link, BROWSER)).status, link).to.equal(200);
  });

  it('has a dark theme', async () => {
    expect((await store.get('/docs/petstore.css')).text).to.include('@media (prefers-color-scheme: dark)');
  });
});

describe('The template for pages', () => {
  it('escapes every value, in text and in attributes', () => {
    const hostile = `<script>&"'`;

    expect(html`<p title="${hostile}">${hostile}</p>`.text).to.equal(
      '<p title="&#60;script&#62;&#38;&#34;&#39;">&#60;script&#62;&#38;&#34;&#39;</p>',
    );
  });

  it('leaves HTML that it made as it is', () => {
    expect(html`<ul>${[html`<li>${1}</li>`, html`<li>${'<'}</li>`]}</ul>`.text).to.equal(
      '<ul><li>1</li><li>&#60;</li></ul>',
    );
  });
});

/** The targets of the links of a page, resolved against its path. */
function linksIn(text: string, path = '/'): string[] {
  const links = Array.from(text.matchAll(/(?:href|src)="([^"]+)"/g), ([, link = '']) => link);
  for (const link of links) expect(link, 'relative').to.match(/^\.\.?\//);
  return links.map((link) => new URL(link, `http://localhost${path}`).pathname);
}

/** The commands as they are without scripts. */
function commandsIn(text: string): string[] {
  return Array.from(text.matchAll(/<pre><code>(.*?)<\/code><\/pre>/gs), ([, command = '']) =>
    command.replaceAll(/<[^>]*>/g, '').replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  );
}

async function run(command: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env: { ...process.env, ...environment } });
  return stdout;
}
