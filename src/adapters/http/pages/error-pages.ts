import type { Page } from '../engine/page.ts';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../error-catalogue.ts';
import { HttpError } from '../http-error.ts';
import { wants } from '../protocol/negotiation.ts';
import { StaticFile } from './static-file.ts';

/** What each error code means and what to do about it: as JSON, or as a page for people. The `type` of a problem leads here. */
export function errorPages(): Page[] {
  const files = new Map<string, StaticFile>();
  return [
    {
      path: '/errors/:code',
      show: (exchange, { code = '' }) => {
        if (!isErrorCode(code))
          throw new HttpError('not_found', `There is no error code ${JSON.stringify(code.slice(0, 100))}.`);
        const { accept } = exchange.request.headers;
        const form = wants(accept, 'text/html') > wants(accept, 'application/json') ? 'html' : 'json';
        const key = `${form} ${code}`;
        let file = files.get(key);
        if (!file) files.set(key, (file = form === 'html' ? htmlFile(code) : jsonFile(code)));
        return file.send(exchange);
      },
    },
  ];
}

const VARY = ['Vary', 'Accept'];

function jsonFile(code: ErrorCode): StaticFile {
  return new StaticFile(JSON.stringify({ code, ...ERRORS[code] }), 'application/json', VARY);
}

function htmlFile(code: ErrorCode): StaticFile {
  const headers = [...VARY, 'Content-Security-Policy', "default-src 'none'"];
  return new StaticFile(htmlOf(code), 'text/html; charset=utf-8', headers);
}

function isErrorCode(code: string): code is ErrorCode {
  return (ERROR_CODES as string[]).includes(code);
}

function htmlOf(code: ErrorCode): string {
  const { status, title, meaning, remedy } = ERRORS[code];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body>
<h1>${escapeHtml(title)}</h1>
<p><code>${code}</code>, status ${status}</p>
<p>${escapeHtml(meaning)}</p>
<p>${escapeHtml(remedy)}</p>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
