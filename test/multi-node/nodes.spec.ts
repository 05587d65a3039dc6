import { join } from 'node:path';
import { expect } from 'chai';
import { randomFrom } from '../crash-recovery/customers.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { freshFolder } from '../support/temporary.ts';
import { inspect } from './inspection.ts';
import { RoundRobin } from './round-robin.ts';
import { openShop, runWorkload } from './workload.ts';

const UNITS = 150;

describe('Three nodes on one store, one of them killed and one drained while a crowd is at work,', () => {
  const folder = freshFolder();
  const running: ServiceProcess[] = [];
  afterEach(async () => {
    for (const node of running.splice(0)) await node.kill();
  });

  for (const { name, operations, databaseUrl } of [
    { name: 'a SQLite file', operations: 3_000, databaseUrl: async () => `sqlite:${join(folder(), 'petstore.db')}` },
    { name: 'PostgreSQL', operations: 10_000, databaseUrl: () => postgresServer.makeStore() },
  ]) {
    it(`keep everything that they acknowledged, and execute everything once (${name})`, async () => {
      const url = await databaseUrl();
      const settings = { DATABASE_URL: url, PETSTORE_SQLITE_SYNCHRONOUS: 'normal' };
      for (let node = 0; node < 3; node++) running.push(await ServiceProcess.start(settings));
      const nodes = new RoundRobin(running.map((node) => node.url));
      const [doomed, drained] = running as [ServiceProcess, ServiceProcess];
      await openShop(nodes, UNITS);

      const ends: Promise<unknown>[] = [];
      const memory = await runWorkload(
        nodes,
        { people: 48, operations, units: UNITS, random: randomFrom(5) },
        (done) => {
          const end = (node: ServiceProcess, how: 'kill' | 'stop') => {
            nodes.leave(node.url);
            ends.push(node[how]());
          };
          if (done === Math.floor(operations / 3)) end(doomed, 'kill');
          if (done === Math.floor((2 * operations) / 3)) end(drained, 'stop');
        },
      );
      const [, exitCode] = await Promise.all(ends);
      nodes.close();
      const { findings, orders } = await inspect(url);

      expect(memory.faults).to.deep.equal([]);
      expect(exitCode).to.equal(0);
      expect(findings).to.deep.equal([]);
      expect(memory.refused, 'no order was refused').to.be.above(0);
      expect(nodes.repeated, 'no request was retried').to.be.above(0);
      expect(orders.size).to.equal(memory.orders.size);
      for (const [id, { petId, quantity, complete }] of memory.orders) {
        expect(orders.get(id), `order ${id}`).to.deep.equal({ petId, quantity, complete });
      }
    });
  }
});
