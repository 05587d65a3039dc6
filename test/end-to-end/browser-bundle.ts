import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Story } from '../package/browser-story.ts';
import { type Bundle, bundleForBrowsers } from '../package/bundle.ts';
import { expectStory } from '../package/expected-story.ts';
import { type Browser, installBrowser, type Page, startBrowser } from './chromium.ts';

/*
 * The service in a real browser, as a bundle of the built package: `npm run e2e:browser`.
 */

/** Scripts of this server only, and no `eval`. */
const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'";

/** Finds out whether the page may make code from text. */
const PROBE = `try { new Function(''); globalThis.mayEvaluate = true; } catch { globalThis.mayEvaluate = false; }`;

const IN_PAGE = `import { tellStory } from './test/package/browser-story.ts';
globalThis.petstoreStory = () => tellStory(createBrowserPetstore);`;

/** Answers every request of the pages that it controls. */
const IN_WORKER = `const shop = createBrowserPetstore({ logLevel: 'silent' });
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => event.respondWith(shop.then(({ fetch }) => fetch(event.request))));`;

const REGISTER = `globalThis.controlled = new Promise((resolve) => {
  navigator.serviceWorker.addEventListener('controllerchange', () => resolve(true));
  navigator.serviceWorker.register('/worker.js');
});`;

const pageWith = (...scripts: readonly string[]) =>
  `<!doctype html><title>Page</title>${scripts.map((path) => `<script src="${path}"></script>`).join('')}`;

/** In bytes, compressed. */
const LARGEST = 150_000;

describe('The service in a browser', function () {
  this.timeout(600_000);
  let bundle: Bundle;
  let server: Server;
  let browser: Browser;
  let page: Page;
  let errors: string[];
  const requested: string[] = [];

  before(async () => {
    bundle = await bundleForBrowsers('package', IN_PAGE);
    const worker = await bundleForBrowsers('package', IN_WORKER);
    const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
      '/in-page': ['text/html', pageWith('/probe.js', '/petstore.js')],
      '/in-worker': ['text/html', pageWith('/register.js')],
      '/probe.js': ['text/javascript', PROBE],
      '/register.js': ['text/javascript', REGISTER],
      '/petstore.js': ['text/javascript', bundle.text],
      '/worker.js': ['text/javascript', worker.text],
    };
    server = createServer(({ url = '' }, response) => {
      requested.push(url);
      const [type, text] = files[url] ?? ['text/plain', ''];
      response.setHeader('Content-Type', `${type}; charset=utf-8`).setHeader('Content-Security-Policy', POLICY);
      response.end(text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await installBrowser();
    browser = await startBrowser();
  });

  after(async () => {
    await browser?.close();
    server?.close();
  });

  beforeEach(async () => {
    page = await browser.newPage();
    errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => errors.push(message.text()));
  });

  afterEach(async () => {
    await page.close();
    expect(errors).to.deep.equal([]);
  });

  const visit = (path: string) =>
    page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { waitUntil: 'load' });

  it('is bundled without anything of Node', () => {
    const inputs = Object.keys(bundle.inputs);

    expect(inputs).to.include('dist/browser.js');
    expect(inputs.filter((path) => /mikro-orm|kysely|\bkoa\b|\bpg\b|pino|commander/.test(path))).to.deep.equal([]);
    expect(bundle.text).to.not.match(/\beval\(|\bFunction\(|\bimport\(/);
  });

  it('is small', async () => {
    const { size, compressed } = await bundleForBrowsers('package', 'globalThis.create = createBrowserPetstore;');

    console.log(`      ${(size / 1000).toFixed()} kB minified, ${(compressed / 1000).toFixed()} kB with gzip`);
    expect(compressed).to.be.below(LARGEST);
  });

  it('answers in a page that forbids eval', async () => {
    await visit('/in-page');

    const mayEvaluate = await page.evaluate<boolean>('mayEvaluate');
    const story = await page.evaluate<Story>('petstoreStory()');

    expect(mayEvaluate).to.equal(false);
    expectStory(story);
  });

  it('answers in a service worker, in the place of the server', async () => {
    await visit('/in-worker');
    await page.evaluate<boolean>('controlled');
    requested.length = 0;

    const pets = await page.evaluate<unknown>(`fetch('/pets?limit=1').then((response) => response.json())`);
    const landing = await visit('/');

    expect(pets).to.have.nested.property('[0].name', 'Biscuit, Golden Retriever');
    expect(landing?.status()).to.equal(200);
    expect(await page.evaluate<string>('document.title')).to.equal('Petstore');
    expect(requested).to.deep.equal([]);
  });
});
