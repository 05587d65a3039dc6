import { ContainerModule, type ContainerModuleLoadOptions } from 'inversify';

/** Exported for modules of other teams, so that they use the same Inversify as this service. */
export { ContainerModule };

/** The metadata of a module. */
export interface AdapterModuleFacts {
  /** The version of the ports that the module was written for: `PORTS_VERSION` of `petstore-service/ports/version`. */
  readonly ports: number;
}

/** A module of another team, with the version of the ports that it was written for. */
export interface AdapterModule extends ContainerModule {
  readonly ports: number;
}

/** Creates a module for `PETSTORE_ADAPTERS`, or for `modules` of `createPetstore`. `load` binds the adapters; it is awaited. */
export function adapterModule(
  { ports }: AdapterModuleFacts,
  load: (options: ContainerModuleLoadOptions) => void | Promise<void>,
): AdapterModule {
  return Object.assign(new ContainerModule(load), { ports });
}
