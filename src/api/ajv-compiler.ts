import { Ajv, type CodeOptions } from 'ajv';
import { FORMATS } from './formats.ts';
import { type Schema, type SchemaCheck, SchemaCompiler } from './validation.ts';

/** Ajv as this service uses it, at run time and in the build. */
export function newAjv(code: CodeOptions = {}): Ajv {
  const ajv = new Ajv({
    useDefaults: true,
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    formats: FORMATS,
    keywords: ['example'],
    code,
  });
  return ajv;
}

/** Compiles when the service starts. */
export class AjvCompiler extends SchemaCompiler {
  readonly #ajv = newAjv();

  compile(schema: Schema): SchemaCheck {
    return this.#ajv.compile(schema);
  }
}
