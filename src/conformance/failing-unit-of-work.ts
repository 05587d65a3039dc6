import { UnitOfWork, type WriteOptions, type WriteScope } from '../application/ports/unit-of-work.ts';

/** Makes the n-th call to the ports of a scope fail, either instead of doing its work or right after it. */
export class FailingUnitOfWork extends UnitOfWork {
  readonly injectedFault = new Error('injected fault');
  readonly #work: UnitOfWork;
  readonly #failAt: number;
  readonly #when: 'before' | 'after';
  #calls = 0;

  constructor(work: UnitOfWork, failAt: number, when: 'before' | 'after') {
    super();
    this.#work = work;
    this.#failAt = failAt;
    this.#when = when;
  }

  /** Whether there was an n-th call. */
  get hasFailed(): boolean {
    return this.#calls >= this.#failAt;
  }

  write<Result>(work: (scope: WriteScope) => Promise<Result>, options?: WriteOptions): Promise<Result> {
    return this.#work.write((scope) => {
      // A storage may execute the work again from the start.
      this.#calls = 0;
      return work(this.#observe(scope));
    }, options);
  }

  #observe<Port extends object>(port: Port): Port {
    return new Proxy({} as Port, {
      get: (_, name) => {
        const member: unknown = Reflect.get(port, name, port);
        if (typeof member === 'function') return (...facts: unknown[]) => this.#call(() => member.apply(port, facts));
        return typeof member === 'object' && member ? this.#observe(member) : member;
      },
    });
  }

  async #call(port: () => Promise<unknown>): Promise<unknown> {
    this.#calls += 1;
    const fails = this.#calls === this.#failAt;
    if (fails && this.#when === 'before') throw this.injectedFault;
    const answer = await port();
    if (fails) throw this.injectedFault;
    return answer;
  }
}
