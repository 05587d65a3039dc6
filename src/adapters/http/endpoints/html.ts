import { JSON_TYPE } from '../../../api/media-types.ts';
import type { Exchange } from '../handler/exchange.ts';
import type { HeaderFields } from '../response/message.ts';
import { wants } from '../response/negotiation.ts';
import { StaticFile } from './static-file.ts';

/** HTML that is not escaped again. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

type Part = string | number | Html | readonly Html[];

/** Builds HTML from a template. Every value is escaped, for text and for attributes in double quotes, unless it is HTML itself. */
export function html(strings: readonly string[], ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, i) => string + (i < parts.length ? toText(parts[i] as Part) : '')).join(''));
}

function toText(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const HTML_TYPE = 'text/html; charset=utf-8';
export const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** What the pages may load: files of this service, and nothing inline. */
export const CONTENT_SECURITY_POLICY: readonly string[] = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * One document for people. `root` leads from its path to that of the service: links are relative, so that they are right
 * behind a proxy that adds a prefix.
 */
export function page(title: string, root: './' | '../', body: Html, head: Html = html``): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${root}docs/pet.svg">
<link rel="stylesheet" href="${root}docs/petstore.css">
${head}</head>
<body>
<header class="site">
<a class="brand" href="${root}"><img src="${root}docs/pet.svg" alt="" width="28" height="28">Petstore</a>
<nav aria-label="Pages">
<a href="${root}docs">Reference</a>
<a href="${root}errors">Errors</a>
<a href="${root}openapi.json">OpenAPI</a>
</nav>
</header>
${body}
</body>
</html>
`.text;
}

/** A page that does not change. */
export function pageFile(text: string, policy = CONTENT_SECURITY_POLICY, headers: HeaderFields = []): StaticFile {
  return new StaticFile(text, HTML_TYPE, [...pageHeaders(policy), ...headers]);
}

const VARY = ['Vary', 'Accept'];

/** A page for clients that prefer HTML, as browsers do, and JSON for all others. */
export class PageOrJson {
  readonly #page: StaticFile;
  readonly #json: StaticFile;

  constructor(text: string, data: unknown) {
    this.#page = pageFile(text, CONTENT_SECURITY_POLICY, VARY);
    this.#json = new StaticFile(JSON.stringify(data), JSON_TYPE, VARY);
  }

  send(exchange: Exchange): void | Promise<void> {
    return (prefersHtml(exchange) ? this.#page : this.#json).send(exchange);
  }
}

/** Sends a 404 page. */
export function sendNotFoundPage(exchange: Exchange, text: string): void | Promise<void> {
  const headers = ['X-Content-Type-Options', 'nosniff', ...VARY, ...pageHeaders(CONTENT_SECURITY_POLICY)];
  return exchange.send(404, headers, text, HTML_TYPE);
}

export function prefersHtml({ request: { headers } }: Exchange): boolean {
  return wants(headers.accept, 'text/html') > wants(headers.accept, JSON_TYPE);
}

function pageHeaders(policy: readonly string[]): string[] {
  return ['Content-Security-Policy', policy.join('; '), 'Referrer-Policy', 'no-referrer'];
}
