import { Storage } from '../../../src/application/ports/storage.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default [
  adapterModule({ ports: 1 }, ({ rebind }) => {
    rebind(Storage).toConstantValue({ open: async () => undefined } as Storage);
  }),
];
