import { adapterModule } from '../../../src/composition/adapter-module.ts';

/** Has the name of a port, and is none. */
abstract class Clock {
  abstract now(): number;
}

export default adapterModule({ ports: 1 }, ({ bind }) => {
  bind(Clock).toConstantValue({ now: () => 0 });
});
