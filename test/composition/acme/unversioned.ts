import { ContainerModule } from 'inversify';
import { Clock } from '../../../src/application/ports/clock.ts';

export default new ContainerModule(({ rebind }) => {
  rebind(Clock).toConstantValue({ now: () => 0 });
});
