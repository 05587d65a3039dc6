/** Keeps the shops that are measured. Each contestant has its own copy. */
export interface Store {
  readonly name: 'sqlite' | 'postgresql';
  /** The program that is the floor on this database; it takes `DATABASE_URL`, as the service does. */
  readonly floor: string;
  /** Further environment variables of the service and the floor. */
  readonly environment: Readonly<Record<string, string>>;
  /** The process of the database, if it has its own. */
  readonly pid: number | undefined;
  /** Makes a shop with so many pets. Returns its `DATABASE_URL`. */
  makeShop(name: string, pets: number): Promise<string>;
  /** Copies a shop that no process has open. Returns the `DATABASE_URL` of the copy. */
  copyShop(url: string, name: string): Promise<string>;
  removeShop(url: string): Promise<void>;
}
