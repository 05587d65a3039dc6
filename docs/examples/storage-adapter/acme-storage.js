import { adapterModule } from 'petstore-service';
import { EventLog } from 'petstore-service/ports/event-log';
import { Reader } from 'petstore-service/ports/reader';
import { Storage } from 'petstore-service/ports/storage';
import { UnitOfWork } from 'petstore-service/ports/unit-of-work';
import { Database } from './database.js';
import { AcmeEventLog } from './event-log.js';
import { AcmeReader } from './reader.js';
import { AcmeUnitOfWork } from './unit-of-work.js';

/** `PETSTORE_ADAPTERS=./acme-storage.js`: the store is in the file that `ACME_STORE` names, or in `acme.db`. */
export default adapterModule({ ports: 1 }, ({ rebind }) => {
  const database = new Database(process.env.ACME_STORE ?? 'acme.db');
  rebind(Storage).toConstantValue(database);
  rebind(UnitOfWork).toConstantValue(new AcmeUnitOfWork(database));
  rebind(Reader).toConstantValue(new AcmeReader(database));
  rebind(EventLog).toConstantValue(new AcmeEventLog(database));
});
