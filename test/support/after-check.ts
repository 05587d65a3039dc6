import { UnitOfWork, type WriteScope } from '../../src/application/ports/unit-of-work.ts';

/** The start checks units of work with an empty one. What a test injects begins with the second. */
export function afterCheck(whole: UnitOfWork, injected: UnitOfWork): UnitOfWork {
  let next = whole;
  class CheckedUnitOfWork extends UnitOfWork {
    override write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
      const unitOfWork = next;
      next = injected;
      return unitOfWork.write(work);
    }
  }
  return new CheckedUnitOfWork();
}
