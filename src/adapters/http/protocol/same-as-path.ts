import { bodyFaults } from './validation.ts';

/** A read-only field that comes back in a PUT must say what the path says. @throws {HttpError} `validation_failed` */
export function sameAsPath(field: string, given: number | undefined, addressed: number): void {
  if (given === undefined || given === addressed) return;
  throw bodyFaults([{ path: [field], code: 'const', message: `${field} must be ${addressed}, as in the path.` }]);
}
