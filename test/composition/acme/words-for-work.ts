import { UnitOfWork } from '../../../src/application/ports/unit-of-work.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default adapterModule({ ports: 1 }, ({ rebind }) => {
  rebind(UnitOfWork).toConstantValue({ write: 'later' } as unknown as UnitOfWork);
});
