import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind('acme.storage').toConstantValue({ now: () => 0 });
});
