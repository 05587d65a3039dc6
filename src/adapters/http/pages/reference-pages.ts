import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from '../engine/page.ts';
import { HttpError } from '../http-error.ts';
import { StaticFile } from './static-file.ts';

const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Everything comes from this service. Swagger UI styles its elements in place, which needs inline styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Petstore: interface reference</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** What Swagger UI does not show by itself: the badges of an operation, and until when a deprecated one works. */
const START = `const Badges = () => ({
  wrapComponents: {
    OperationSummaryPath: (Original, { React, specSelectors }) => (props) => {
      const { path, method } = props.operationProps.toObject();
      const operation = specSelectors.specJson().getIn(['paths', path, method])?.toJS() ?? {};
      const badges = [...(operation['x-badges'] ?? [])];
      if (operation['x-sunset']) badges.push({ name: 'Until ' + operation['x-sunset'], color: '#59636e' });
      const shown = badges.map(({ name, color }) => {
        const style = { background: color, borderRadius: 4, color: '#fff', font: '600 12px sans-serif', marginRight: 8, padding: '3px 8px' };
        return React.createElement('span', { key: name, style }, name);
      });
      return React.createElement(React.Fragment, null, React.createElement(Original, props), ...shown);
    },
  },
});

// An optional parameter is left empty: its example would be sent with every request. Where a credential is optional,
// Swagger UI would show a closed lock.
const withoutOptionals = (text) => {
  const document = JSON.parse(text);
  for (const operation of Object.values(document.paths).flatMap(Object.values)) {
    for (const parameter of operation.parameters) if (!parameter.required) delete parameter.example;
    if (operation.security.some((alternative) => Object.keys(alternative).length === 0)) delete operation.security;
  }
  return JSON.stringify(document);
};

window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  showExtensions: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [Badges],
  responseInterceptor: (response) => {
    if (response.ok && response.url.endsWith('/openapi.json')) response.text = withoutOptionals(response.text);
    return response;
  },
});
`;

/** The page on which people read and try the interface, with every file that it needs. */
export function referencePages(): Page[] {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const html = ['Content-Security-Policy', CONTENT_SECURITY_POLICY, 'Referrer-Policy', 'no-referrer'];
  const page = new StaticFile(PAGE, 'text/html; charset=utf-8', html);
  const start = new StaticFile(START, 'text/javascript; charset=utf-8');
  const files = new Map<string, Promise<StaticFile>>();
  return [
    { path: '/docs', show: (exchange) => page.send(exchange) },
    { path: '/docs/start.js', show: (exchange) => start.send(exchange) },
    {
      path: '/docs/:file',
      show: async (exchange, { file: name = '' }) => {
        const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
        if (!type) throw new HttpError('not_found', `Nothing is served under /docs/${name.slice(0, 100)}.`);
        let file = files.get(name);
        if (!file) {
          file = readFile(join(folder, name)).then((content) => new StaticFile(content, type));
          files.set(name, file);
        }
        await (await file).send(exchange);
      },
    },
  ];
}
