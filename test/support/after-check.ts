import { UnitOfWork, type WriteScope } from '../../src/application/ports/unit-of-work.ts';

/** The start runs an empty unit of work as a check, so the injected one begins with the second. */
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
