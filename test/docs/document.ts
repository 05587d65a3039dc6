import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { compose } from '../../src/composition/compose.ts';
import { httpSettings } from '../../src/composition/http-settings.ts';
import { optionsFrom } from '../../src/composition/options.ts';
import { OperationsToken } from '../../src/composition/tokens.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document has any content; the tests check it
export type Json = any;

/** The OpenAPI document of the service with these settings, as a client reads it. */
export async function publishedDocument(settings: Readonly<Record<string, string>> = {}): Promise<Json> {
  const options = optionsFrom({ DATABASE_URL: 'memory:', ...settings });
  const container = await compose(options);
  return JSON.parse(JSON.stringify(openApiDocument(container.get(OperationsToken), httpSettings(options, container))));
}

/** The document as it is committed, for people and tools that do not run the service. */
export const COMMITTED = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

/** The document of the last release, which a later one must not break. */
export const RELEASED = fileURLToPath(new URL('released-openapi.json', import.meta.url));

/** The document of the service with its default settings, as it is committed. */
export async function printed(): Promise<string> {
  return `${JSON.stringify(await publishedDocument(), null, 2)}\n`;
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
