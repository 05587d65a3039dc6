import { Clock } from '../../../src/application/ports/clock.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

/** Beside the one that is there, so that nobody knows which one is meant. */
export default adapterModule({ ports: 1 }, ({ bind }) => {
  bind(Clock).toConstantValue({ now: () => 0 });
});
