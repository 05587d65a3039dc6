import { Clock } from '../../../src/application/ports/clock.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default adapterModule({ ports: 1 }, ({ unbind }) => unbind(Clock));
