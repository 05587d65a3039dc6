import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import type { BrowserPetstore } from '../../src/composition/create-browser-petstore.ts';
import type { Story } from './browser-story.ts';
import { type Bundle, bundleForBrowsers } from './bundle.ts';
import { expectStory } from './expected-story.ts';

/** What the service uses of a browser. Its timers are numbers. */
const BROWSER = {
  ...{ AbortController, AbortSignal, atob, btoa, clearInterval, clearTimeout, console, crypto, DOMException, Headers },
  ...{
    performance,
    ReadableStream,
    Request,
    Response,
    structuredClone,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
  },
  setInterval: (act: () => void, ms: number) => Number(setInterval(act, ms).unref()),
  setTimeout: (act: () => void, ms: number) => Number(setTimeout(act, ms).unref()),
};

const PROGRAM = `import { tellStory } from './test/package/browser-story.ts';
globalThis.petstoreStory = () => tellStory(createBrowserPetstore);`;

describe('A bundle for browsers', () => {
  let bundle: Bundle;

  before(async () => {
    bundle = await bundleForBrowsers('sources', PROGRAM);
  });

  it('contains no adapter that needs Node', () => {
    const inputs = Object.keys(bundle.inputs);

    expect(inputs).to.include('src/adapters/http/fetch/fetch-handler.ts');
    expect(inputs.filter((path) => /mikro-orm|kysely|\bkoa\b|\bpg\b|pino|commander/.test(path))).to.deep.equal([]);
  });

  it('contains neither the compiler of schemas nor code that makes code', () => {
    const ajv = Object.keys(bundle.inputs).filter((path) => path.startsWith('node_modules/ajv/'));

    expect(ajv).to.deep.equal(['node_modules/ajv/dist/runtime/ucs2length.js']);
    expect(bundle.text).to.not.match(/\beval\(|\bFunction\(|\bimport\(/);
  });

  it('is a service that needs no more than browsers have, and no eval', async () => {
    const realm = createContext({ ...BROWSER }, { codeGeneration: { strings: false, wasm: false } });
    // A message with the source of an error would be the whole bundle.
    runInContext(bundle.text, realm, { displayErrors: false });

    expect(() => runInContext('eval("1")', realm)).to.throw('Code generation from strings disallowed');
    expectStory((await runInContext('petstoreStory()', realm)) as Story);
  });

  it('accepts requests although the browser has stopped its timers for an hour, as it does in hidden pages', async () => {
    const measurements: (() => void)[] = [];
    let elapsed = 0;
    const sleeping = {
      ...BROWSER,
      performance: { now: () => elapsed },
      setInterval: (measure: () => void) => measurements.push(measure),
    };
    const realm = createContext(sleeping);
    const { text } = await bundleForBrowsers('sources', 'globalThis.create = createBrowserPetstore;');
    runInContext(text, realm, { displayErrors: false });
    const shop = (await runInContext("create({ logLevel: 'silent' })", realm)) as BrowserPetstore;

    elapsed += 3_600_000;
    for (const measure of measurements) measure();

    expect(measurements).to.have.length(2);
    expect((await shop.fetch(new Request('https://petstore.example/pets'))).status).to.equal(200);
  });

  it('does not build if something in it imports a module of Node', async () => {
    const failed = bundleForBrowsers('sources', "import 'node:fs';");

    const error = await failed.catch((reason: unknown) => reason);
    expect(String(error)).to.include('Could not resolve "node:fs"');
  });
});
