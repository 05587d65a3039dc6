import { Secrets } from '../../../src/application/ports/secrets.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(Secrets).toConstantValue({ make: () => 'secret' } as Secrets);
});
