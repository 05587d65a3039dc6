import { ContainerModule } from 'inversify';
import { UnitOfWork } from '../../../src/application/ports/unit-of-work.ts';

export default new ContainerModule(({ rebind }) => {
  rebind(UnitOfWork).toConstantValue({ write: 'later' } as unknown as UnitOfWork);
});
