import { ContainerModule, type ContainerModuleLoadOptions } from 'inversify';

/** Teams take it from here, so that their modules and this service use the same Inversify. */
export { ContainerModule };

/** What a module says of itself. */
export interface AdapterModuleFacts {
  /** The version of the ports that it was written for: `PORTS_VERSION` of `petstore-service/ports/version` at that time. */
  readonly ports: number;
}

/** A module of another team, with the version of the ports that it was written for. */
export interface AdapterModule extends ContainerModule {
  readonly ports: number;
}

/** Makes the module that `PETSTORE_ADAPTERS` names, or that `createPetstore` is given. `load` binds the adapters; it is awaited. */
export function adapterModule(
  { ports }: AdapterModuleFacts,
  load: (options: ContainerModuleLoadOptions) => void | Promise<void>,
): AdapterModule {
  return Object.assign(new ContainerModule(load), { ports });
}
