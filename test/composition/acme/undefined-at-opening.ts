import { Storage } from '../../../src/application/ports/storage.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

/** Rejects with nothing when it is opened. */
export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(Storage).toConstantValue({
    open: () => Promise.reject(undefined),
    close: () => new Promise(() => undefined),
    check: async () => undefined,
  });
});
