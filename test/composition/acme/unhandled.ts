import { Clock } from '../../../src/application/ports/clock.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

void Promise.reject(new Error('the licence server is away'));

export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(Clock).toConstantValue({ now: () => Date.now() });
});
