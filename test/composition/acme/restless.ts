import { ContainerModule } from 'inversify';

/** Leaves something behind that would keep the process for ever. */
export default new ContainerModule(() => void setInterval(() => undefined, 1_000));
