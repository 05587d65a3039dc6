import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/*
 * A browser from the npm registry, for Linux on x64, and axe-core. They are 110 MB, so that they are no dependencies: the
 * first run installs them into a cache folder, and `npm ci` removes them. On other systems, CHROME names a browser.
 */

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/petstore-browser', import.meta.url));
const PACKAGES = { '@sparticuz/chromium': '153.0.0', 'puppeteer-core': '25.16.0', 'axe-core': '4.14.1' };

/** What is used of Puppeteer. */
export interface Page {
  goto(url: string, options: { waitUntil: 'load' | 'networkidle0' }): Promise<{ status(): number } | null>;
  evaluate<Result>(script: string): Promise<Result>;
  waitForFunction(script: string, options?: { timeout: number }): Promise<unknown>;
  waitForResponse(matches: (response: Response) => boolean): Promise<Response>;
  setViewport(size: { width: number; height: number }): Promise<void>;
  emulateMediaFeatures(features: readonly { name: string; value: string }[]): Promise<void>;
  setRequestInterception(on: boolean): Promise<void>;
  screenshot(options: { path: string }): Promise<unknown>;
  keyboard: { type(text: string): Promise<void> };
  on(event: 'request', listener: (request: Request) => void): void;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'pageerror', listener: (error: unknown) => void): void;
  close(): Promise<void>;
}

export interface Request {
  url(): string;
  method(): string;
  headers(): Readonly<Record<string, string>>;
  abort(): Promise<void>;
  continue(): Promise<void>;
}

export interface Response {
  url(): string;
  status(): number;
  request(): Request;
}

export interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** What axe-core finds on a page. */
export interface Fault {
  readonly id: string;
  readonly impact: string;
  readonly elements: readonly string[];
}

/** Starts the browser, which {@link installBrowser} must have put into its place. */
export async function startBrowser(): Promise<Browser> {
  const puppeteer = (await load('puppeteer-core')) as { launch(options: object): Promise<Browser> };
  const executablePath = process.env['CHROME'] ?? (await chromium());
  return puppeteer.launch({ executablePath, headless: 'shell', args: ['--no-sandbox', '--no-zygote'] });
}

export async function installBrowser(): Promise<void> {
  const manifest = join(CACHE, 'package.json');
  // npm writes the versions when it has installed all of them.
  const { dependencies = {} } = existsSync(manifest) ? JSON.parse(await readFile(manifest, 'utf8')) : {};
  const packages = Object.entries(PACKAGES);
  if (packages.every(([name, version]) => dependencies[name] === version)) return;
  await rm(CACHE, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  await writeFile(manifest, '{ "private": true }\n');
  const options = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const wanted = packages.map(([name, version]) => `${name}@${version}`);
  await promisify(execFile)('npm', ['install', ...options, ...wanted], {
    cwd: CACHE,
    shell: process.platform === 'win32',
  });
}

/** Where the script of axe-core is. */
export function axeScript(): string {
  return join(dirname(fromCache().resolve('axe-core')), 'axe.min.js');
}

async function chromium(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'Set CHROME to the path of a Chrome or Chromium: the one that is installed here is for Linux on x64.',
    );
  }
  const { executablePath } = (await load('@sparticuz/chromium')) as { executablePath(): Promise<string> };
  return executablePath();
}

async function load(name: string): Promise<unknown> {
  const module = (await import(pathToFileURL(fromCache().resolve(name)).href)) as { default: unknown };
  return module.default;
}

function fromCache(): NodeJS.Require {
  return createRequire(join(CACHE, 'package.json'));
}
