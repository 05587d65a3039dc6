import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default adapterModule({ ports: 1 }, ({ bind }) => {
  bind('acme.storage').toConstantValue({ now: () => 0 });
});
