import { Clock } from '../../../src/application/ports/clock.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

/** Where it is the year 2030 for ever. */
export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(Clock).toConstantValue({ now: () => Date.UTC(2030, 0, 1) });
});
