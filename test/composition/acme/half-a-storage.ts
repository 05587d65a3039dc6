import { ContainerModule } from 'inversify';
import { Storage } from '../../../src/application/ports/storage.ts';

export default [
  new ContainerModule(({ rebind }) => {
    rebind(Storage).toConstantValue({ open: async () => undefined } as Storage);
  }),
];
