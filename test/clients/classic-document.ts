/** The facts of a Swagger 2.0 document that a client depends on: what is called how, takes what and returns what. */
export function clientFacts({ paths, definitions }: SwaggerDocument): ClientFacts {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, responses }]) => {
      const taken = parameters.map(({ in: place, name, required, type, schema, items }) => {
        return { place, name, required: required ?? false, type, schema, items: items && { type: items.type } };
      });
      return [`${method} ${path}`, { operationId, taken, returned: responses['200']?.schema }] as const;
    }),
  );
  const schemas = Object.entries(definitions).map(([name, { required, properties }]) => {
    const types = Object.entries(properties).map(([field, { type, format, $ref }]) => [field, { type, format, $ref }]);
    return [name, { required, properties: Object.fromEntries(types) as unknown }] as const;
  });
  return { operations: Object.fromEntries(operations), schemas: Object.fromEntries(schemas) };
}

export interface ClientFacts {
  readonly operations: Readonly<Record<string, { operationId: string; taken: unknown; returned: object | undefined }>>;
  readonly schemas: Readonly<Record<string, object>>;
}

interface Typed {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
}

interface SwaggerOperation {
  readonly operationId: string;
  readonly parameters: readonly (Typed & {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema?: object;
    readonly items?: Typed;
  })[];
  readonly responses: Readonly<Record<string, { readonly schema?: object }>>;
}

export interface SwaggerDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, SwaggerOperation>>>>;
  readonly definitions: Readonly<
    Record<string, { readonly required?: readonly string[]; readonly properties: Readonly<Record<string, Typed>> }>
  >;
}
