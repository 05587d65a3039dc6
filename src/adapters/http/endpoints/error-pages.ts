import { ERROR_CODES, ERRORS } from '../../../api/errors/error-catalogue.ts';
import type { ErrorCode } from '../../../api/errors/error-code.ts';
import { REASON_PHRASES } from '../../../api/errors/reason-phrases.ts';
import type { ServiceEndpoint } from '../handler/service-endpoint.ts';
import { HttpError } from '../http-error.ts';
import { html, PageOrJson, page, prefersHtml, sendNotFoundPage } from './html.ts';

/** What each error code means and what to do about it: as JSON, or as a page for people. The `type` of a problem leads here. */
export function errorPages(): ServiceEndpoint[] {
  const list = new PageOrJson(listPage(), ERROR_CODES.map(entryOf));
  const entries = new Map<string, PageOrJson>(
    ERROR_CODES.map((code) => [code, new PageOrJson(codePage(code), entryOf(code))]),
  );
  return [
    { path: '/errors', serve: (exchange) => list.send(exchange) },
    {
      path: '/errors/{code}',
      serve: (exchange, { code = '' }) => {
        const entry = entries.get(code);
        if (entry) return entry.send(exchange);
        const shown = code.slice(0, 100);
        if (prefersHtml(exchange)) return sendNotFoundPage(exchange, unknownPage(shown));
        throw new HttpError(
          'not_found',
          `No error code is called ${JSON.stringify(shown)}. /errors lists all of them.`,
        );
      },
    },
  ];
}

function entryOf(code: ErrorCode) {
  return { code, ...ERRORS[code] };
}

function listPage(): string {
  const statuses = [...new Set(ERROR_CODES.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  const sections = statuses.map(
    (status) => html`<h2>${status} ${REASON_PHRASES[status]}</h2>
${listOf(
  ERROR_CODES.filter((code) => ERRORS[code].status === status),
  './errors/',
)}`,
  );
  const body = html`<main class="content">
<h1>Error codes</h1>
<p class="lead">Every error has one of these codes in its body. Each page explains one of them.</p>
${sections}</main>`;
  return page('Error codes · Petstore', './', body);
}

function codePage(code: ErrorCode): string {
  const { status, title, meaning, remedy } = ERRORS[code];
  const others = ERROR_CODES.filter((other) => other !== code && ERRORS[other].status === status);
  const body = html`<main class="content">
<h1>${title}</h1>
<p class="lead"><code>${code}</code>, status ${status} ${REASON_PHRASES[status]}</p>
<p>${meaning}</p>
<h2>What to do</h2>
<p>${remedy}</p>
${others.length > 0 ? html`<h2>Other codes with status ${status}</h2>\n${listOf(others, './')}` : ''}${CONTINUE}</main>`;
  return page(`${title} · Petstore`, '../', body);
}

function unknownPage(code: string): string {
  const body = html`<main class="content">
<h1>Unknown error code</h1>
<p class="lead">No error code is called <code>${code}</code>.</p>
${CONTINUE}</main>`;
  return page('Unknown error code · Petstore', '../', body);
}

/** `folder`: the relative address of the folder of the codes. */
function listOf(codes: readonly ErrorCode[], folder: string) {
  const items = codes.map(
    (code) => html`<li><a href="${folder}${code}"><code>${code}</code></a><p>${ERRORS[code].meaning}</p></li>\n`,
  );
  return html`<ul class="codes">\n${items}</ul>\n`;
}

const CONTINUE = html`<h2>Continue</h2>
<p><a href="../errors">All error codes</a> · <a href="../docs">The reference</a> · <a href="../">The start page</a></p>
`;
