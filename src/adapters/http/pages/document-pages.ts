import type { Exchange } from '../engine/exchange.ts';
import type { Page } from '../engine/page.ts';
import { openApiDocument } from '../openapi/document.ts';
import type { Operation } from '../operation.ts';
import { entityTag, ifNoneMatch } from '../protocol/conditional.ts';
import type { DocumentSettings } from '../settings.ts';

const TYPES = { json: 'application/json', yaml: 'application/yaml' } as const;

type Form = keyof typeof TYPES;

/** The OpenAPI document as text. */
export async function printDocument(
  form: Form,
  operations: readonly Operation[],
  settings: DocumentSettings,
): Promise<string> {
  const document = openApiDocument(operations, settings);
  if (form === 'json') return JSON.stringify(document, null, 2);
  // Loaded when somebody asks, which most never do.
  const { stringify } = await import('yaml');
  // Readers of YAML 1.1 take an unquoted date for one.
  return stringify(document, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 });
}

/** The OpenAPI document, in both of its forms; each is made when it is first asked for. */
export function documentPages(operations: readonly Operation[], settings: DocumentSettings): Page[] {
  return (Object.keys(TYPES) as Form[]).map((form) => {
    let text: Promise<string> | undefined;
    return {
      path: `/openapi.${form}`,
      show: async (exchange) => {
        text ??= printDocument(form, operations, settings);
        sendFile(exchange, await text, TYPES[form]);
      },
    };
  });
}

/** Answers with something that stays the same, or with 304 to whoever has it. */
export function sendFile(
  exchange: Exchange,
  content: string | Buffer,
  type: string,
  headers: readonly string[] = [],
): void {
  const tag = entityTag(content);
  const known = exchange.request.headers['if-none-match'];
  const all = ['ETag', tag, 'Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff', ...headers];
  if (known !== undefined && ifNoneMatch(known, tag)) exchange.send(304, all);
  else exchange.send(200, all, content, type);
}
