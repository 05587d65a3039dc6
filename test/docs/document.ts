import { openApiDocument } from '../../src/adapters/http/openapi/document.ts';
import { compose, httpSettings } from '../../src/composition/compose.ts';
import { optionsFrom } from '../../src/composition/options.ts';
import { OperationsToken } from '../../src/composition/tokens.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is whatever it says; the tests look
export type Json = any;

/** The OpenAPI document of the service with these settings, as a client reads it. */
export async function publishedDocument(settings: Readonly<Record<string, string>> = {}): Promise<Json> {
  const options = optionsFrom({ DATABASE_URL: 'memory:', ...settings });
  const container = await compose(options);
  return JSON.parse(JSON.stringify(openApiDocument(container.get(OperationsToken), httpSettings(options))));
}

export interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

export function operationsOf(document: Json): Described[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** What stands under a JSON pointer, references followed. */
export function resolved(document: Json, value: Json): Json {
  if (value?.$ref === undefined) return value;
  const steps = String(value.$ref).slice(2).split('/');
  return resolved(
    document,
    steps.reduce((at, step) => at[step], document),
  );
}
