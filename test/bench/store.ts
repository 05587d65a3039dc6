/** Where shops are kept while they are measured. Whoever is measured has one of its own. */
export interface Store {
  readonly name: 'sqlite' | 'postgresql';
  /** The program that is the floor here; it takes `DATABASE_URL`, as the service does. */
  readonly floor: string;
  /** What the service and the floor are both told beside that. */
  readonly environment: Readonly<Record<string, string>>;
  /** The process of the database, if it has one of its own. */
  readonly pid: number | undefined;
  /** Makes a shop with so many pets for somebody, and gives its address, as `DATABASE_URL` has it. */
  makeShop(who: string, pets: number): Promise<string>;
  /** Makes another one like it, which nobody has open, for somebody else. */
  copyShop(url: string, who: string): Promise<string>;
  removeShop(url: string): Promise<void>;
}
