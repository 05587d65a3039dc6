import { Storage } from '../../../src/application/ports/storage.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

/** Leaves a rejection behind when it is opened. */
export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(Storage).toConstantValue({
    open: async () => {
      void Promise.reject(new Error('the cache is away'));
      await new Promise(() => undefined);
    },
    close: () => new Promise(() => undefined),
    check: async () => undefined,
  });
});
