import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default adapterModule({ ports: 1 }, () => new Promise(() => undefined));
