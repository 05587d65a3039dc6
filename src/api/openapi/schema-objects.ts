import { toPointer } from '../errors/api-error.ts';
import { namedSchemas } from '../schemas/schemas.ts';
import type { Schema } from '../validation.ts';

export type Json = { readonly [key: string]: unknown };

/** `components.schemas`. */
export function schemaComponents(): Json {
  return Object.fromEntries(Object.entries(namedSchemas).map(([name, schema]) => [name, schemaObject(schema, schema)]));
}

export function mediaType(schema: Schema): Json {
  return { schema: schemaObject(schema), example: schema.example };
}

const names = new Map<unknown, string>(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));

/** The schema with a reference wherever one of the named ones stands; `root` is the one that is being written out. */
export function schemaObject(schema: unknown, root?: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => schemaObject(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = names.get(schema);
  if (name && schema !== root) return { $ref: `#/components/schemas${toPointer([name])}` };
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'example' ? value : schemaObject(value)]),
  );
}
