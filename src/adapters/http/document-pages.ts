import { stringify } from 'yaml';
import { entityTag, ifNoneMatch } from './conditional.ts';
import type { Exchange } from './exchange.ts';
import { type DocumentSettings, openApiDocument } from './openapi.ts';
import type { Operation } from './operation.ts';
import type { Page } from './page.ts';

const FORMS = {
  json: { type: 'application/json', print: (document: object) => JSON.stringify(document, null, 2) },
  yaml: {
    type: 'application/yaml',
    print: (document: object) => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
  },
} as const;

type Form = keyof typeof FORMS;

export function printDocument(form: Form, operations: readonly Operation[], settings: DocumentSettings): string {
  return FORMS[form].print(openApiDocument(operations, settings));
}

/** The OpenAPI document, in both of its forms; each is made when it is first asked for. */
export function documentPages(operations: readonly Operation[], settings: DocumentSettings): Page[] {
  return (Object.keys(FORMS) as Form[]).map((form) => {
    let text: string | undefined;
    return {
      path: `/openapi.${form}`,
      show: (exchange) => {
        text ??= printDocument(form, operations, settings);
        sendFile(exchange, text, FORMS[form].type);
      },
    };
  });
}

/** Answers with something that stays the same, or with 304 to whoever has it. */
export function sendFile(exchange: Exchange, content: string | Buffer, type: string, headers: readonly string[] = []): void {
  const tag = entityTag(content);
  const known = exchange.request.headers['if-none-match'];
  const all = ['ETag', tag, 'Cache-Control', 'no-cache', 'X-Content-Type-Options', 'nosniff', ...headers];
  if (known !== undefined && ifNoneMatch(known, tag)) exchange.send(304, all);
  else exchange.send(200, all, content, type);
}
