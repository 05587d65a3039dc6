import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, lstat, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from '../package/pack.ts';
import { execForm, optionsOf, type Stage } from './containerfile.ts';

/** What the steps of a Containerfile leave behind, in a folder in place of a file system. */
export interface ScratchImage {
  /** The folder in place of `/`. */
  readonly root: string;
  /** Inside of it. */
  readonly workdir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly volume: string;
  readonly port: string;
  readonly healthCheck: readonly string[];
  readonly command: readonly string[];
}

/** The user `node` of the image. */
const NODE_USER = 1000;

/**
 * Takes the steps of every stage, each in a folder of its own that begins empty. `context` is what COPY copies from. The base is this
 * machine with its Node and npm, so no RUN may have an absolute path.
 */
export async function buildInScratch(stages: readonly Stage[], context: string, folder: string): Promise<ScratchImage> {
  const roots = new Map<string, string>();
  let image: ScratchImage | undefined;
  for (const [i, stage] of stages.entries()) {
    const root = join(folder, `stage-${i}`);
    await mkdir(root);
    image = await take(stage, root, { context, roots });
    if (stage.name !== undefined) roots.set(stage.name, root);
  }
  if (!image) throw new Error('There is no stage.');
  return image;
}

async function take(
  { instructions }: Stage,
  root: string,
  { context, roots }: { context: string; roots: ReadonlyMap<string, string> },
): Promise<ScratchImage> {
  let image: ScratchImage = {
    root,
    workdir: root,
    environment: {},
    user: 'root',
    volume: '',
    port: '',
    healthCheck: [],
    command: [],
  };
  for (const { name, text } of instructions) {
    switch (name) {
      case 'WORKDIR':
        image = { ...image, workdir: join(root, text) };
        await mkdir(image.workdir, { recursive: true });
        break;
      case 'COPY':
        await copy(text, image, context, roots);
        break;
      case 'RUN':
        if (/(?:^|\s)\//.test(text)) throw new Error(`RUN with an absolute path: ${text}`);
        await run('sh', ['-c', text], {
          cwd: image.workdir,
          env: { ...process.env, ...image.environment },
          maxBuffer: 64 * 1024 * 1024,
        });
        break;
      case 'ENV': {
        const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
        image = { ...image, environment: { ...image.environment, [key]: value } };
        break;
      }
      case 'HEALTHCHECK': {
        const [form = '', ...words] = optionsOf(text).rest.split(/^CMD /).reverse();
        if (words.length === 0) throw new Error(`HEALTHCHECK without CMD: ${text}`);
        image = { ...image, healthCheck: execForm(form) };
        break;
      }
      case 'CMD':
        image = { ...image, command: execForm(text) };
        break;
      default:
        image = { ...image, [{ USER: 'user', VOLUME: 'volume', EXPOSE: 'port' }[name] ?? name]: text };
    }
  }
  return image;
}

async function copy(
  text: string,
  { root, workdir }: ScratchImage,
  context: string,
  roots: ReadonlyMap<string, string>,
): Promise<void> {
  const { options, rest } = optionsOf(text);
  const from = options['from'] === undefined ? context : roots.get(options['from']);
  if (from === undefined) throw new Error(`COPY from a stage that does not exist: ${text}`);
  const words = rest.split(/\s+/);
  const target = words.pop() ?? '';
  const place = isAbsolute(target) ? join(root, target) : join(workdir, target);
  const isFolder = target.endsWith('/') || words.length > 1;
  for (const source of words) {
    const to = isFolder ? join(place, basename(source)) : place;
    await mkdir(dirname(to), { recursive: true });
    // Links stay links, as in an image.
    await cp(join(from, source), to, { recursive: true, verbatimSymlinks: true });
  }
  if (options['chown'] !== undefined && process.getuid?.() === 0) await chown(place, NODE_USER, NODE_USER);
}

/** Takes the right to write from everything but the volume, and opens the rest for the user of the image. */
export async function makeReadOnly({ root, volume }: ScratchImage): Promise<void> {
  const writable = join(root, volume);
  for (const path of [root, ...(await pathsIn(root))]) {
    const entry = await lstat(path);
    if (path === writable || entry.isSymbolicLink()) continue;
    await chmod(path, (entry.mode | (entry.isDirectory() ? 0o555 : 0o444)) & 0o555);
  }
}

/** Everything in an image but its volume, as it is. */
export async function stateOf({ root, volume }: ScratchImage): Promise<string[]> {
  const states: string[] = [];
  for (const path of (await pathsIn(root)).filter((each) => !each.startsWith(join(root, volume)))) {
    const { mtimeMs, size } = await lstat(path);
    states.push(`${path} ${mtimeMs} ${size}`);
  }
  return states.sort();
}

async function pathsIn(root: string): Promise<string[]> {
  return (await readdir(root, { recursive: true })).map((path) => join(root, path));
}

/** The exit code of a program in the image. */
export async function execute(image: ScratchImage, words: readonly string[], settings: object): Promise<number | null> {
  const [code] = (await once(start(image, words, settings), 'close')) as [number | null];
  return code;
}

/** Runs the command of an image, as its user, with its environment and no other, until it was looked at. Returns its exit code. */
export async function serving(
  image: ScratchImage,
  words: readonly string[],
  settings: object,
  look: (url: string) => Promise<void>,
): Promise<number | null> {
  const service = start(image, words, settings);
  const ended = once(service, 'close') as Promise<[number | null]>;
  const output: string[] = [];
  try {
    for await (const line of createInterface({ input: service.stdout })) {
      output.push(line);
      const url = /"(?:url|classic)":"(http:[^"]+)"/.exec(line)?.[1];
      if (url === undefined) continue;
      service.stdout.resume();
      await look(url.replace('0.0.0.0', '127.0.0.1'));
      service.kill('SIGTERM');
      return (await ended)[0];
    }
    throw new Error(`The service ended before it listened:\n${output.join('\n')}`);
  } finally {
    service.kill('SIGKILL');
    await ended;
  }
}

function start({ root, workdir, environment, volume, user }: ScratchImage, words: readonly string[], settings: object) {
  const [program = '', ...args] = words;
  const inRoot = Object.entries(environment).map(([key, value]) => [
    key,
    value.replace(`:${volume}/`, `:${join(root, volume)}/`),
  ]);
  const isRoot = process.getuid?.() === 0;
  return spawn(program, args, {
    cwd: workdir,
    env: { PATH: process.env['PATH'], ...Object.fromEntries(inRoot), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(isRoot && user === 'node' && { uid: NODE_USER, gid: NODE_USER }),
  });
}
