import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default adapterModule({ ports: 1 }, async () => {
  throw new Error('the server does not answer');
});
