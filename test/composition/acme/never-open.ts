import { Storage } from '../../../src/application/ports/storage.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

/** Neither opens nor closes. */
export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(Storage).toConstantValue({
    open: () => new Promise(() => undefined),
    close: () => new Promise(() => undefined),
    check: async () => undefined,
  });
});
