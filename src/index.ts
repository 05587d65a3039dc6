/*
 * The front door of the package: what a program needs that starts a petstore, or puts an adapter of its own into one. Everything
 * else has its own path: `petstore-service/ports/storage`, `petstore-service/application/order-desk`, `petstore-service/conformance/storage-suite`.
 */

export {
  type AdapterModule,
  type AdapterModuleFacts,
  adapterModule,
  ContainerModule,
} from './composition/adapter-module.ts';
export {
  type ConfigWithoutServer,
  createPetstore,
  type Petstore,
  type PetstoreConfig,
  type PetstoreWithoutServer,
} from './composition/create-petstore.ts';
export { OptionRefused, optionsFrom, type PetstoreOptions } from './composition/options.ts';
