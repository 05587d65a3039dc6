import { join } from 'node:path';
import { expect } from 'chai';
import { postgresServer } from '../support/postgres-server.ts';
import { ServiceClient } from '../support/service-client.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { contradictionsIn } from '../support/store-verifier.ts';
import { freshFolder } from '../support/temporary.ts';
import { Workload } from '../support/workload.ts';

describe('Three services on one store, of which one is killed and one is drained under load,', () => {
  const folder = freshFolder();
  const running: ServiceProcess[] = [];
  afterEach(async () => {
    for (const node of running.splice(0)) await node.kill();
  });

  for (const { name, operations, databaseUrl } of [
    { name: 'a SQLite file', operations: 3_000, databaseUrl: async () => `sqlite:${join(folder(), 'petstore.db')}` },
    { name: 'PostgreSQL', operations: 10_000, databaseUrl: () => postgresServer.makeStore() },
  ]) {
    it(`lose nothing that they acknowledged, and execute every request once (${name})`, async () => {
      const url = await databaseUrl();
      const settings = { DATABASE_URL: url, PETSTORE_SQLITE_SYNCHRONOUS: 'normal' };
      for (let node = 0; node < 3; node++) running.push(await ServiceProcess.start(settings));
      const client = new ServiceClient(
        running.map((node) => node.url),
        { retry: true },
      );
      const workload = new Workload({ units: 150, seed: 5 });
      await workload.createPets(client);

      const endAfter = async (share: number, service: ServiceProcess, how: 'kill' | 'stop') => {
        await workload.reaches(() => workload.operations >= share * operations);
        client.leave(service.url);
        return service[how]();
      };
      const [killed, drained] = running as [ServiceProcess, ServiceProcess];
      const [, exitCode] = await Promise.all([
        endAfter(1 / 3, killed, 'kill'),
        endAfter(2 / 3, drained, 'stop'),
        workload.run(client, 48, () => workload.operations >= operations),
      ]);
      client.close();

      expect(workload.faults).to.deep.equal([]);
      expect(exitCode).to.equal(0);
      expect(await contradictionsIn(url, workload.knowledge)).to.deep.equal([]);
      expect(workload.refused, 'orders beyond the stock').to.be.above(0);
      expect(client.retries).to.be.above(0);
    });
  }
});
