import { Clock } from '../../../src/application/ports/clock.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

/** Leaves something behind that would keep the process for ever. */
export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(Clock).toConstantValue({ now: () => Date.now() });
  setInterval(() => undefined, 1_000);
});
