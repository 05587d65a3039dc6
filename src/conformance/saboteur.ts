import { UnitOfWork, type WriteScope } from '../application/ports/unit-of-work.ts';

/** Makes the n-th call to the ports of a scope fail, either instead of doing its work or right after it. */
export class Saboteur extends UnitOfWork {
  readonly sabotage = new Error('sabotage');
  readonly #work: UnitOfWork;
  readonly #strikeAt: number;
  readonly #when: 'before' | 'after';
  #calls = 0;

  constructor(work: UnitOfWork, strikeAt: number, when: 'before' | 'after') {
    super();
    this.#work = work;
    this.#strikeAt = strikeAt;
    this.#when = when;
  }

  /** Whether there was an n-th call. */
  get struck(): boolean {
    return this.#calls >= this.#strikeAt;
  }

  write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
    return this.#work.write((scope) => {
      // A storage may do it again from the start.
      this.#calls = 0;
      return work(this.#watch(scope));
    });
  }

  #watch<Port extends object>(port: Port): Port {
    return new Proxy({} as Port, {
      get: (_, name) => {
        const member: unknown = Reflect.get(port, name, port);
        if (typeof member === 'function') return (...facts: unknown[]) => this.#call(() => member.apply(port, facts));
        return typeof member === 'object' && member ? this.#watch(member) : member;
      },
    });
  }

  async #call(port: () => Promise<unknown>): Promise<unknown> {
    this.#calls += 1;
    const strikes = this.#calls === this.#strikeAt;
    if (strikes && this.#when === 'before') throw this.sabotage;
    const answer = await port();
    if (strikes) throw this.sabotage;
    return answer;
  }
}
