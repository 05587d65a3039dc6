import { sendFile } from './document-pages.ts';
import { type ErrorCode, ERROR_CODES, ERRORS } from './error-catalogue.ts';
import { HttpError } from './http-error.ts';
import { wants } from './negotiation.ts';
import type { Page } from './page.ts';

/** What each error code means and what to do about it: as JSON, or as a page for people. The `type` of a problem leads here. */
export function errorPages(): Page[] {
  return [
    {
      path: '/errors/:code',
      show: (exchange, { code = '' }) => {
        if (!isErrorCode(code)) throw new HttpError('not_found', `There is no error code ${JSON.stringify(code.slice(0, 100))}.`);
        const { accept } = exchange.request.headers;
        const vary = ['Vary', 'Accept'];
        if (wants(accept, 'text/html') > wants(accept, 'application/json')) {
          sendFile(exchange, htmlOf(code), 'text/html; charset=utf-8', [...vary, 'Content-Security-Policy', "default-src 'none'"]);
        } else sendFile(exchange, JSON.stringify({ code, ...ERRORS[code] }), 'application/json', vary);
      },
    },
  ];
}

function isErrorCode(code: string): code is ErrorCode {
  return (ERROR_CODES as string[]).includes(code);
}

function htmlOf(code: ErrorCode): string {
  const { status, title, meaning, remedy } = ERRORS[code];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${asText(title)}</title></head>
<body>
<h1>${asText(title)}</h1>
<p><code>${code}</code>, status ${status}</p>
<p>${asText(meaning)}</p>
<p>${asText(remedy)}</p>
</body>
</html>
`;
}

function asText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
