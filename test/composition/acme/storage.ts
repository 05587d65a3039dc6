import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import { Reader } from '../../../src/application/ports/reader.ts';
import { Storage } from '../../../src/application/ports/storage.ts';
import { UnitOfWork } from '../../../src/application/ports/unit-of-work.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

const store = new InMemoryStore();
const storage = new InMemoryStorage(store);

/** A storage that cannot tell whether there is a store before it is opened. */
export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(UnitOfWork).toConstantValue(new InMemoryUnitOfWork(store, 15_000));
  rebind(Reader).toConstantValue(new InMemoryReader(store));
  rebind(Storage).toConstantValue({
    open: () => storage.open(),
    close: () => storage.close(),
    check: () => storage.check(),
  });
});
