import { ContainerModule } from 'inversify';
import { Clock } from '../../../src/application/ports/clock.ts';

/** Where it is the year 2030 for ever. */
export default new ContainerModule(({ rebind }) => {
  rebind(Clock).toConstantValue({ now: () => Date.UTC(2030, 0, 1) });
});
