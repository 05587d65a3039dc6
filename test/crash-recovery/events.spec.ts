import { join } from 'node:path';
import { expect } from 'chai';
import { PUBLISHED_TYPES } from '../../src/api/cloud-events.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { freshFolder } from '../support/temporary.ts';
import { rebuildFromEvents } from './events.ts';

describe('A consumer that reads nothing but events, and is killed without warning like the services,', () => {
  const folder = freshFolder();

  for (const { name, way, services, databaseUrl } of [
    {
      name: 'SQLite, by pages',
      way: 'pages',
      services: 1,
      databaseUrl: async () => `sqlite:${join(folder(), 'petstore.db')}`,
    },
    {
      name: 'SQLite, by streams',
      way: 'stream',
      services: 1,
      databaseUrl: async () => `sqlite:${join(folder(), 'petstore.db')}`,
    },
    {
      name: 'PostgreSQL with three services, by streams',
      way: 'stream',
      services: 3,
      databaseUrl: () => postgresServer.makeStore(),
    },
  ] as const) {
    it(`computes the same store as the interface shows (${name})`, async () => {
      const report = await rebuildFromEvents({
        way,
        databaseUrl: await databaseUrl(),
        services,
        rounds: 2,
        operations: 1_500,
        seed: 7,
      });

      expect(report.faults).to.deep.equal([]);
      expect(report).to.deep.include({ types: PUBLISHED_TYPES.length, consumerKills: 2 });
      expect(report.kills).to.be.at.least(2);
      expect(report.events).to.be.above(500);
    });
  }
});
