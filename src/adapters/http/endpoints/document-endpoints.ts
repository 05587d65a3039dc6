import { asyncApiDocument } from '../../../api/asyncapi/document.ts';
import { openApiDocument } from '../../../api/openapi/document.ts';
import type { Operation } from '../../../api/operation.ts';
import type { ApiSettings } from '../../../api/settings.ts';
import type { ServiceEndpoint } from '../handler/service-endpoint.ts';
import { StaticFile } from './static-file.ts';

const TYPES = { json: 'application/json', yaml: 'application/yaml' } as const;

type Form = keyof typeof TYPES;

/** The OpenAPI document as text; `indent` is for people who read the JSON. */
export async function printDocument(
  form: Form,
  operations: readonly Operation[],
  settings: ApiSettings,
  indent?: number,
): Promise<string> {
  const document = openApiDocument(operations, settings);
  if (form === 'json') return JSON.stringify(document, null, indent);
  // Loaded on first use, which is rare.
  const { stringify } = await import('yaml');
  // YAML 1.1 reads an unquoted date as a timestamp.
  return stringify(document, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 });
}

/** The OpenAPI document in both of its forms; each is created on first use. */
export function documentPages(operations: readonly Operation[], settings: ApiSettings): ServiceEndpoint[] {
  return (Object.keys(TYPES) as Form[]).map((form) => {
    let file: Promise<StaticFile> | undefined;
    return {
      path: `/openapi.${form}`,
      serve: async (exchange) => {
        file ??= printDocument(form, operations, settings).then((text) => new StaticFile(text, TYPES[form]));
        await (await file).send(exchange);
      },
    };
  });
}

/** The AsyncAPI document, which is created on first use. */
export function asyncApiPage(operations: readonly Operation[], settings: ApiSettings): ServiceEndpoint {
  let file: StaticFile | undefined;
  return {
    path: '/asyncapi.json',
    serve: (exchange) => {
      file ??= new StaticFile(JSON.stringify(asyncApiDocument(operations, settings)), TYPES.json);
      return file.send(exchange);
    },
  };
}
