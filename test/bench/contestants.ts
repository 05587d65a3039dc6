import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { issueKey } from './shop.ts';
import type { Store } from './store.ts';

/** Limits that count every request twice, as the default ones do, and reject none. */
export const LIMITS = { PETSTORE_RATE_PER_MINUTE: '1000000000', PETSTORE_RATE_BURST: '166666666' } as const;

/** A built checkout of the service. */
export interface Checkout {
  readonly folder: string;
  /** The service's start file. */
  readonly program: string;
}

export interface Terms {
  readonly store: Store;
  readonly service: Checkout;
  /** The checkout of another revision. */
  readonly before: Checkout | undefined;
}

/** How to start a contestant on a shop, and the headers of every request to it. */
export interface Launch {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface ContestantEntry {
  /** What it is, for the page. */
  readonly description: string;
  /** Whether it returns the service's headers and refusals, and not only its bodies. */
  readonly doesSameWork: boolean;
  readonly launch: (shop: string, terms: Terms) => Launch | Promise<Launch>;
}

/** Everything that can be measured, in the order of the tables. */
export const CONTESTANTS = {
  service: {
    description:
      '`dist/petstore.js serve` as `npm start` starts it, with its default settings, without authentication, on a SQLite file.',
    doesSameWork: true,
    launch: (shop, { service, store }) => launchService(service, shop, store),
  },
  before: {
    description: 'the service of another revision.',
    doesSameWork: false,
    launch: (shop, { before, store }) => {
      if (!before) throw new Error('--compare names the revision.');
      return launchService(before, shop, store);
    },
  },
  fastify: {
    description:
      '`test/bench/fastify.ts`: Fastify 5 with JSON Schemas, prepared statements written by hand, and the same work as the service: the same validation, headers, entity tags and links. Each order is one transaction.',
    doesSameWork: true,
    launch: (shop) => launchFile('fastify.ts', shop),
  },
  floor: {
    description:
      'the minimal program that returns the same bodies: bare `node:http` and prepared SQL on the same file with the same pragmas and durability (WAL, `synchronous=FULL`), the same rows and the same checks for an order, and none of the other features. Each order is one transaction.',
    doesSameWork: false,
    launch: (shop, { store }) => ({ args: [store.floor], environment: { DATABASE_URL: shop, ...store.environment } }),
  },
  guarded: {
    description: `the service with \`PETSTORE_AUTH=api-key\` and its rate limit, called with an API key that has the required scopes. With ${Object.entries(
      LIMITS,
    )
      .map(([name, value]) => `\`${name}=${value}\``)
      .join(' and ')} every request is counted in two time windows, as by default, and none is rejected.`,
    doesSameWork: false,
    launch: async (shop, { service, store }) => {
      const headers = { authorization: `Bearer ${await issueKey(shop)}` };
      const { args, environment } = launchService(service, shop, store);
      return { args, environment: { ...environment, PETSTORE_AUTH: 'api-key', ...LIMITS }, headers };
    },
  },
  'fastify-plain': {
    description: 'the same Fastify without the headers, entity tags and links that it does not send by itself.',
    doesSameWork: false,
    launch: (shop) => launchFile('fastify.ts', shop, 'plain'),
  },
  'koa-mikro-orm': {
    description:
      '`test/bench/koa-mikro-orm.ts`: Koa, @koa/router and MikroORM as their documentation shows them: managed entities, an entity manager for each request, and a transaction for each order.',
    doesSameWork: false,
    launch: (shop) => launchFile('koa-mikro-orm.ts', shop),
  },
  'nest-typeorm': {
    description:
      '`test/bench/nest-typeorm`: NestJS on Express and TypeORM as their documentation shows them: repositories, validation pipes, and a transaction for each order.',
    doesSameWork: false,
    launch: (shop) => {
      const folder = fileURLToPath(new URL('nest-typeorm/', import.meta.url));
      if (!existsSync(join(folder, 'node_modules'))) execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
      return launchFile('nest-typeorm/server.js', shop);
    },
  },
} as const satisfies Readonly<Record<string, ContestantEntry>>;

export type Contestant = keyof typeof CONTESTANTS;

export function isContestant(name: string): name is Contestant {
  return Object.hasOwn(CONTESTANTS, name);
}

/** Starts the service without authentication, with the Node options of its own `npm start`. */
export function launchService({ folder, program }: Checkout, shop: string, { environment }: Store): Launch {
  return {
    args: [...startOptions(folder), program, 'serve'],
    environment: {
      DATABASE_URL: shop,
      HOST: '127.0.0.1',
      PORT: '0',
      PETSTORE_DEMO: 'off',
      PETSTORE_AUTH: 'open',
      ...environment,
    },
  };
}

function launchFile(file: string, shop: string, ...args: readonly string[]): Launch {
  return { args: [fileURLToPath(new URL(file, import.meta.url)), ...args], environment: { DATABASE_URL: shop } };
}

/** The options between `node` and the file in the start script. */
function startOptions(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}
