import type { Check, Port, Suite } from './check.ts';

/** What an adapter gives the kit to try its promises on, made anew for nearly every check. */
export interface Opened {
  /** Lets go of everything, the data too. Is called once. */
  dispose(): Promise<void>;
}

/** For each thing that the adapter cannot do, why, in a sentence: what needs it is skipped with that reason. */
export type Gaps<Capability extends string> = Readonly<Partial<Record<Capability, string>>>;

interface GroupSettings<Thing, Capability> {
  /** The port that promises it; by default that of the group around. */
  readonly port?: Port;
  /** How one is opened for this group. */
  readonly open?: () => Promise<Thing>;
  /** What an adapter must be able to do. */
  readonly needs?: Capability;
}

/** Where checks are written down. Every body gets a thing of its own, opened and prepared. */
export interface Plan<Thing extends Opened, Capability extends string = never> {
  group(
    name: string,
    describe: (plan: Plan<Thing, Capability>) => void,
    settings?: GroupSettings<Thing, Capability>,
  ): void;
  /** Is done before each check of the group that follows, after what the groups around it do. */
  prepare(step: (thing: Thing) => unknown): void;
  /** As `prepare`, but once for all checks of the group, which share the thing: none of them changes it. */
  prepareOnce(step: (thing: Thing) => unknown): void;
  /** `needs`: what an adapter must be able to do. */
  check(name: string, body: (thing: Thing) => unknown, needs?: Capability): void;
}

interface Surroundings<Thing, Capability> extends Required<Omit<GroupSettings<Thing, Capability>, 'needs'>> {
  readonly path: readonly string[];
  readonly steps: readonly ((thing: Thing) => unknown)[];
  readonly gap: string | undefined;
}

/** Makes a suite of what `describe` writes down. */
export function suiteOf<Thing extends Opened, Capability extends string>(
  name: string,
  settings: { readonly port: Port; open(): Promise<Thing>; readonly gaps?: Gaps<Capability> | undefined },
  describe: (plan: Plan<Thing, Capability>) => void,
): Suite {
  const checks: Check[] = [];
  const shelf = new Shelf<Thing>();

  const gapOf = (needs: Capability | undefined) => needs && settings.gaps?.[needs];

  const planIn = (around: Surroundings<Thing, Capability>): Plan<Thing, Capability> => {
    const steps = [...around.steps];
    let shared: object | undefined;
    const prepared = async () => {
      const thing = await around.open();
      try {
        for (const step of steps) await step(thing);
        return thing;
      } catch (error) {
        await thing.dispose();
        throw error;
      }
    };
    return {
      group: (heading, plan, { port = around.port, open = around.open, needs } = {}) =>
        plan(
          planIn({
            port,
            open,
            path: [...around.path, heading],
            steps,
            gap: gapOf(needs) ?? around.gap,
          }),
        ),
      prepare: (step) => void steps.push(step),
      prepareOnce: (step) => {
        steps.push(step);
        shared = {};
      },
      check: (title, body, needs) => {
        const key = shared;
        const run = async () => {
          if (key) await body(await shelf.take(key, prepared));
          else await disposing(await prepared(), body);
        };
        checks.push({ port: around.port, path: around.path, name: title, gap: gapOf(needs) ?? around.gap, run });
      },
    };
  };

  const { port, open } = settings;
  describe(planIn({ port, open: () => open(), path: [], steps: [], gap: undefined }));
  return { name, checks, end: () => shelf.clear() };
}

/** What `body` found comes before what went wrong when the thing was let go. */
async function disposing<Thing extends Opened>(thing: Thing, body: (thing: Thing) => unknown): Promise<void> {
  try {
    await body(thing);
  } catch (error) {
    await thing.dispose().catch(() => undefined);
    throw error;
  }
  await thing.dispose();
}

/** Keeps one thing at a time for those who share it. */
class Shelf<Thing extends Opened> {
  #key: object | undefined;
  #thing: Thing | undefined;

  async take(key: object, make: () => Promise<Thing>): Promise<Thing> {
    if (this.#key === key && this.#thing) return this.#thing;
    await this.clear();
    this.#thing = await make();
    this.#key = key;
    return this.#thing;
  }

  async clear(): Promise<void> {
    const thing = this.#thing;
    this.#thing = undefined;
    await thing?.dispose();
  }
}
