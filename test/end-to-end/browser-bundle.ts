import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Story } from '../package/browser-story.ts';
import { type Bundle, bundleForBrowsers } from '../package/bundle.ts';
import { expectStory } from '../package/expected-story.ts';
import { type Browser, installBrowser, startBrowser } from './chromium.ts';

/*
 * The service in a real browser, as a bundle of the built package: `npm run e2e:browser`.
 */

/** Scripts of this server only, no `eval`, and no request to anywhere: whatever answers is in the page. */
const POLICY = "default-src 'none'; script-src 'self'";

/** Finds out whether the page may make code from text. */
const PROBE = `try { new Function(''); globalThis.mayEvaluate = true; } catch { globalThis.mayEvaluate = false; }`;

const PROGRAM = `import { tellStory } from './test/package/browser-story.ts';
globalThis.petstoreStory = () => tellStory(createBrowserPetstore);`;

/** In bytes, compressed. */
const LARGEST = 150_000;

describe('The service in a browser', function () {
  this.timeout(600_000);
  let bundle: Bundle;
  let server: Server;
  let browser: Browser;

  before(async () => {
    bundle = await bundleForBrowsers('package', PROGRAM);
    const html =
      '<!doctype html><title>Petstore</title><script src="/probe.js"></script><script src="/petstore.js"></script>';
    const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
      '/': ['text/html', html],
      '/probe.js': ['text/javascript', PROBE],
      '/petstore.js': ['text/javascript', bundle.text],
    };
    server = createServer((request, response) => {
      const [type, text] = files[request.url ?? ''] ?? ['text/plain', ''];
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
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => errors.push(message.text()));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { waitUntil: 'load' });

    const mayEvaluate = await page.evaluate<boolean>('mayEvaluate');
    const story = await page.evaluate<Story>('petstoreStory()');

    expect(mayEvaluate).to.equal(false);
    expectStory(story);
    expect(errors).to.deep.equal([]);
    await page.close();
  });
});
