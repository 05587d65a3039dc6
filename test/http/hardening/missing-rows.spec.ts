import Database from 'better-sqlite3';
import { expect } from 'chai';
import { postgresServer } from '../../support/postgres-server.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { ServiceProcess } from '../../support/service-process.ts';

/** Rows that an operator or a damaged file can remove despite the foreign keys. */
const DAMAGE = ['delete from movements', 'delete from categories'] as const;

function damageFile(file: string): void {
  const database = new Database(file);
  database.pragma('foreign_keys = off');
  for (const sql of DAMAGE) database.exec(sql);
  database.close();
}

async function damageDatabase(url: string): Promise<void> {
  // Foreign keys are triggers on PostgreSQL, and triggers do not fire for a replica.
  await postgresServer.ask(url, `begin; set local session_replication_role = replica; ${DAMAGE.join('; ')}; commit`);
}

for (const storage of ['sqlite', 'postgresql'] as const) {
  describe(`A store that has lost rows (${storage})`, () => {
    const store = runningPetstore({ storage });

    beforeEach(async () => {
      await store.pet();
      await (storage === 'sqlite' ? damageFile(store.file) : damageDatabase(store.databaseUrl));
    });

    it('has an empty list of movements for a pet without any, on every page', async () => {
      const whole = await store.get('/store/inventory/1/movements', { Prefer: 'return=total-count' });

      expect([whole.status, whole.body, whole.header('x-total-count')]).to.deep.equal([200, [], '0']);
    });

    it('returns a pet without its category, with the rest of it', async () => {
      const { status, body } = await store.get('/store/pets/1?expand=category,inventory');

      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        id: 1,
        name: 'Rex',
        categoryId: 1,
        status: 'available',
        inventory: { petId: 1, quantity: 1, reserved: 0, status: 'available' },
      });
    });

    it('serves other requests, and stops normally', async () => {
      const databaseUrl = storage === 'sqlite' ? `sqlite:${store.file}` : store.databaseUrl;
      const service = await ServiceProcess.start({ DATABASE_URL: databaseUrl });

      const answers = await Promise.all(
        ['/store/inventory/1/movements', '/store/pets/1'].map((path) => fetch(`${service.url}${path}`)),
      );

      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(await service.stop()).to.equal(0);
    });
  });
}
