import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startPetstoreWith } from './built-petstore.ts';
import { axeScript, type Browser, type Fault, installBrowser, type Page, startBrowser } from './chromium.ts';
import type { Running } from './public-tools.ts';

/*
 * The pages in a real browser: `npm run e2e:browser`. No request may leave the service, and nothing may be written to the
 * console as an error.
 */

const KEY = `petstore_1_${randomBytes(32).toString('hex')}`;
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;
const THEMES = ['light', 'dark'] as const;
const OWN_PAGES = ['/', '/errors', '/errors/insufficient_stock', '/errors/nothing'];

let browser: Browser;
let petstore: Running;
let page: Page;
let outside: string[];
let errors: string[];

function serving(settings: Readonly<Record<string, string>>): void {
  before(async () => {
    petstore = await startPetstoreWith({ DATABASE_URL: 'memory:', ...settings });
  });
  after(() => petstore?.stop());
}

async function openPage(size: keyof typeof SIZES = 'desktop', theme: string = 'light'): Promise<void> {
  page = await browser.newPage();
  outside = [];
  errors = [];
  await page.setViewport(SIZES[size]);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (request.url().startsWith(`${petstore.url}/`) || request.url().startsWith('data:')) void request.continue();
    else {
      outside.push(request.url());
      void request.abort();
    }
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
}

/** Opens a page, and what of the reference the address is for. */
async function visit(path: string): Promise<void> {
  const answer = await page.goto(`${petstore.url}${path}`, { waitUntil: 'networkidle0' });
  // Where only the fragment is another, nothing is loaded; what the browser has already is 304.
  if (answer) expect(answer.status()).to.be.oneOf(path === '/errors/nothing' ? [404] : [200, 304]);
  if (!path.startsWith('/docs')) return;
  const [, place = 'description/introduction'] = path.split('#');
  await page.waitForFunction(`document.querySelector('[id$="${place}"]')?.textContent.length > 20`);
}

/** What axe-core finds to be at least serious. */
async function faults(): Promise<Fault[]> {
  await page.evaluate(readFileSync(axeScript(), 'utf8'));
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, nodes }) => ({ id, impact, elements: nodes.map(({ html }) => html.slice(0, 200)) })))`);
}

const section = (id: string) => `document.querySelector('[id$="${id}"]')`;

/** Sends the request of an operation, as a reader does. */
async function send(id: string, path: string) {
  const button = (place: string, text: string) =>
    `[...(${place}?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent.trim().startsWith('${text}'))`;
  const open = button(section(id), 'Test Request');
  const go = button(`document.querySelector('[role=dialog]')`, 'Send');
  await page.waitForFunction(open);
  await page.evaluate(`${open}.click()`);
  await page.waitForFunction(go);
  const answered = page.waitForResponse((response) => response.url().startsWith(`${petstore.url}${path}`));
  await page.evaluate(`${go}.click()`);
  return answered;
}

describe('The pages in a browser', function () {
  this.timeout(120_000);

  before(async function () {
    this.timeout(600_000);
    await installBrowser();
    browser = await startBrowser();
  });

  after(() => browser?.close());

  afterEach(async () => {
    await page.close();
    expect(outside, 'requests to other services').to.deep.equal([]);
  });

  for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    for (const theme of THEMES) {
      describe(`In a ${theme} browser on a ${size}`, () => {
        serving({});
        beforeEach(() => openPage(size, theme));

        for (const path of [...OWN_PAGES, '/docs', '/docs#tag/pets/getPet', '/docs#tag/store/placeOrder']) {
          it(`${path} has no serious fault of accessibility, no error, and fits the window`, async () => {
            await visit(path);

            expect(await faults()).to.deep.equal([]);
            // The browser itself reports the status of a page that is an error.
            const expected = path === '/errors/nothing' ? /status of 404/ : /^$/;
            for (const error of errors) expect(error).to.match(expected);
            expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).to.be.at.most(0);
            const [background = ''] = await page.evaluate<string[]>(
              '[getComputedStyle(document.body).backgroundColor]',
            );
            expect(background).to.equal(theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 22, 26)');
          });
        }
      });
    }
  }

  describe('The landing page in a browser', () => {
    serving({});
    beforeEach(() => openPage());

    it('has links that all lead somewhere', async () => {
      await visit('/');

      const links = await page.evaluate<string[]>('[...document.links].map(({ href }) => href)');
      expect(links).to.have.length.above(8);
      for (const link of links) expect((await fetch(link)).status, link).to.equal(200);
    });

    it('has commands that work as they are written', async () => {
      await visit('/');

      const commands = await page.evaluate<string[]>(
        `[...document.querySelectorAll('pre')].map(({ textContent }) => textContent)`,
      );
      expect(commands).to.have.length.above(3);
      const printed = await Promise.all(commands.map((command) => promisify(execFile)('bash', ['-c', command])));
      const answers = printed.map(({ stdout }) => JSON.parse(stdout) as { length?: number; code?: string });
      expect(answers[0]?.length).to.equal(3);
      expect(answers.map(({ code }) => code)).to.deep.equal([
        undefined,
        undefined,
        'validation_failed',
        'validation_failed',
      ]);
    });
  });

  describe('The reference in a browser, while authentication is off', () => {
    serving({});
    beforeEach(() => openPage());

    it('shows the markers of operations, and no lock', async () => {
      await visit('/docs#tag/pets/getPet');
      const deprecated = await page.evaluate<string>(`${section('tag/pets/getPet')}.textContent`);
      await visit('/docs#tag/pets/createPets');
      const beta = await page.evaluate<string>(`${section('tag/pets/createPets')}.textContent`);

      expect(deprecated)
        .to.match(/deprecated/i)
        .and.include('Until 2027-12-31')
        .and.not.match(/Auth (?:Required|Optional)/);
      expect(beta)
        .to.include('Beta')
        .and.not.match(/Auth (?:Required|Optional)/);
    });

    it('opens at the operation that the address names', async () => {
      await visit('/docs#tag/store/placeOrder');

      await page.waitForFunction(`(() => {
      const { top, bottom } = ${section('tag/store/placeOrder')}.getBoundingClientRect();
      return top < innerHeight / 2 && bottom > innerHeight / 2;
    })()`);
    });

    it('shows an operation on less than 2,500 pixels', async () => {
      await visit('/docs#tag/pets/listPets');

      expect(await page.evaluate<number>(`${section('tag/pets/listPets')}.getBoundingClientRect().height`)).to.be.below(
        2500,
      );
    });

    it('sends a request and shows the response', async () => {
      await visit('/docs#tag/pets/listCategories');

      const answer = await send('tag/pets/listCategories', '/categories');

      expect(answer.status()).to.equal(200);
      await page.waitForFunction(`document.querySelector('[role=dialog]')?.textContent.includes('200 OK')`);
      expect(errors).to.deep.equal([]);
    });
  });

  describe('The reference in a browser, while keys are required', () => {
    serving({ PETSTORE_AUTH: 'api-key', PETSTORE_FIRST_KEY: KEY });
    beforeEach(() => openPage());

    it('says that a credential is needed, and sends the key that it was given', async () => {
      await visit('/docs');
      const field = `document.querySelector('input.scalar-password-input')`;
      await page.waitForFunction(field);
      await page.evaluate(`${field}.focus()`);
      await page.keyboard.type(KEY);
      await page.evaluate(`location.hash = '#tag/pets/listCategories'`);
      await page.waitForFunction(`${section('tag/pets/listCategories')}?.textContent.includes('Auth Required')`);

      const answer = await send('tag/pets/listCategories', '/categories');

      expect(answer.request().headers()['x-api-key']).to.equal(KEY);
      expect(answer.status()).to.equal(200);
    });
  });
});
