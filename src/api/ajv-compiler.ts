import { Ajv, type CodeOptions } from 'ajv';
import { FORMATS } from './formats.ts';
import { type Schema, type SchemaCheck, SchemaCompiler } from './validation.ts';

/**
 * Ajv as this service uses it, at run time and in the build. The build writes code, which cannot contain a function: a keyword
 * must be an annotation or be defined by `code`, and a format must be in `FORMATS`, which that code imports.
 */
export function newAjv(code: CodeOptions = {}): Ajv {
  return new Ajv({
    useDefaults: true,
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    formats: FORMATS,
    keywords: ['example'],
    code,
  });
}

/** Compiles when the service starts. */
export class AjvCompiler extends SchemaCompiler {
  readonly #ajv = newAjv();

  compile(schema: Schema): SchemaCheck {
    return this.#ajv.compile(schema);
  }
}
