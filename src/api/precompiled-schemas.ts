import type { Digest } from './digest.ts';
import { type Schema, type SchemaCheck, SchemaCompiler } from './validation.ts';

/** The key of a schema among those that the build has compiled. */
export function schemaKey(digest: Digest, schema: Schema): string {
  return digest.sha256(JSON.stringify(schema));
}

/** Checks that the build has compiled, by the keys of their schemas: nothing is compiled at run time, so `eval` is not needed. */
export class PrecompiledSchemas extends SchemaCompiler {
  readonly #digest: Digest;
  readonly #checks: ReadonlyMap<string, SchemaCheck>;

  constructor(digest: Digest, checks: ReadonlyMap<string, SchemaCheck>) {
    super();
    this.#digest = digest;
    this.#checks = checks;
  }

  compile(schema: Schema): SchemaCheck {
    const check = this.#checks.get(schemaKey(this.#digest, schema));
    if (check) return check;
    throw new Error(`The build has not compiled this schema: ${JSON.stringify(schema)}.`);
  }
}
