import { ContainerModule } from 'inversify';
import { Secrets } from '../../../src/application/ports/secrets.ts';

export default new ContainerModule(({ rebind }) => {
  rebind(Secrets).toConstantValue({ make: () => 'secret' } as Secrets);
});
