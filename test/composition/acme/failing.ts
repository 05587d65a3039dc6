import { ContainerModule } from 'inversify';

export default new ContainerModule(async () => {
  throw new Error('the server does not answer');
});
