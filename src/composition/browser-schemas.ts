import { AjvCompiler } from '../api/ajv-compiler.ts';
import type { Digest } from '../api/digest.ts';
import type { SchemaCompiler } from '../api/validation.ts';

/**
 * Compiles while the service runs, which only a checkout does: in `dist`, the build replaces this module by one with the same
 * export and with checks that Ajv has compiled, so that browsers need neither the compiler nor permission for `eval`.
 */
export function browserSchemas(_digest: Digest): SchemaCompiler {
  return new AjvCompiler();
}
