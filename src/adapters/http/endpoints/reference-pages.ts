import type { ServiceEndpoint } from '../handler/service-endpoint.ts';
import { CONTENT_SECURITY_POLICY, html, page, pageFile, SCRIPT_TYPE } from './html.ts';
import { StaticFile } from './static-file.ts';

/** All files come from this service. Scalar uses inline styles and `data:` images. */
const POLICY = [
  ...CONTENT_SECURITY_POLICY.filter((directive) => !/^(?:style|img)-src /.test(directive)),
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
];

const PAGE = page(
  'API reference · Petstore',
  './',
  html`<div id="reference"></div>
<noscript><main class="content"><h1>API reference</h1><p>This page needs scripts. The same information is in <a href="./openapi.json">openapi.json</a> and <a href="./openapi.yaml">openapi.yaml</a>; <a href="./asyncapi.json">asyncapi.json</a> has the events.</p></main></noscript>
<script src="./docs/scalar.js"></script>
<script src="./docs/start.js" type="module"></script>`,
  html`<link rel="stylesheet" href="./docs/reference.css">\n`,
);

/** Prepares the document for reading, and starts Scalar with it. Every feature that calls another service is off. */
const START = `const api = await (await fetch('./openapi.json')).json();
const operations = Object.values(api.paths).flatMap(Object.values);

// An optional parameter stays empty: its example would be part of every request that is tried.
const parameters = [...operations.flatMap(({ parameters = [] }) => parameters), ...Object.values(api.components.parameters ?? {})];
for (const parameter of parameters) if (!parameter.required) delete parameter.example;

for (const operation of operations) {
  // The date until which a deprecated operation works is a badge, as its stability is.
  if (operation['x-sunset']) {
    operation['x-badges'] = [...(operation['x-badges'] ?? []), { name: 'Until ' + operation['x-sunset'], position: 'before' }];
  }
  // Where a request needs no credential, no lock is shown.
  if (operation.security?.some((scheme) => Object.keys(scheme).length === 0)) delete operation.security;
}

if (!operations.some(({ security }) => security)) delete api.components.securitySchemes;
if ('/store/events' in api.paths) {
  api.info.description += '\\n\\nThe [AsyncAPI document](./asyncapi.json) describes the events and their live stream. EventSource cannot send headers. With a credential, read the live stream of events with a streaming \`fetch\`.';
}

// Adds what screen readers need and Scalar omits, and corrects its wrong labels.
const mends = [
  ['button[class*="copy-button"]:not([aria-label])', 'aria-label', 'Copy'],
  ['button.show-more[aria-label]', 'aria-label', null],
  ['button[role="none"]', 'role', null],
  ['[role="combobox"]:not([aria-expanded])', 'aria-expanded', 'false'],
  ['[role="combobox"]:not([aria-label])', 'aria-label', 'Header name'],
  ['.cm-content:not([aria-label])', 'aria-label', 'Body'],
];
const mend = () => {
  for (const [selector, attribute, value] of mends) {
    for (const element of document.querySelectorAll(selector)) {
      if (value === null) element.removeAttribute(attribute);
      else element.setAttribute(attribute, value);
    }
  }
};
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });

Scalar.createApiReference('#reference', {
  content: api,
  authentication: { preferredSecurityScheme: Object.keys(api.components.securitySchemes ?? {})[0] },
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'none',
  hideDarkModeToggle: true,
  theme: 'none',
  generateOperationSlug: ({ operationId, path, method }) => operationId ?? method + path,
  orderSchemaPropertiesBy: 'preserve',
});
`;

/** Scalar in the colours of the other pages: its own have too little contrast. The names are those of Scalar's themes. */
const STYLESHEET = `body { --scalar-custom-header-height: 3.25rem; }
.site { position: sticky; top: 0; z-index: 20; }
/* A list that scrolls in itself cannot be scrolled by keyboard. */
.scalar-card-content:has(.endpoints).custom-scroll, ul.endpoints.endpoints.endpoints { max-height: none; overflow: clip; }

:root {
  --blue: #0b5d8a;
  --green: #0a6847;
  --orange: #8f4600;
  --yellow: #735600;
  --red: #a8231c;
  --purple: #5f3dc4;
}

@media (prefers-color-scheme: dark) {
  :root {
    --blue: #7cc4f0;
    --green: #6ad4a5;
    --orange: #ffb883;
    --yellow: #f2cc60;
    --red: #ff9c93;
    --purple: #c9b2ff;
  }
}

.light-mode.light-mode, .dark-mode.dark-mode {
  --scalar-font: system-ui, sans-serif;
  --scalar-font-code: ui-monospace, monospace;
  --scalar-color-1: var(--text);
  --scalar-color-2: var(--quiet);
  --scalar-color-3: var(--quiet);
  --scalar-color-accent: var(--accent);
  --scalar-link-color: var(--link);
  --scalar-background-1: var(--back);
  --scalar-background-2: var(--raised);
  --scalar-background-3: var(--line);
  --scalar-border-color: var(--line);
  --scalar-sidebar-background-1: var(--back);
  --scalar-sidebar-color-1: var(--text);
  --scalar-sidebar-color-2: var(--quiet);
  --scalar-sidebar-search-color: var(--quiet);
  --scalar-color-blue: var(--blue);
  --scalar-color-green: var(--green);
  --scalar-color-orange: var(--orange);
  --scalar-color-yellow: var(--yellow);
  --scalar-color-red: var(--red);
  --scalar-color-purple: var(--purple);
}
`;

/** Reads the script that the page needs; its four megabytes are read when they are first requested. */
export type ReadScript = () => Promise<{ readonly script: Uint8Array; readonly brotli: Uint8Array }>;

/** Serves `/docs/scalar.js`; the platform reads it. */
export function scalarEndpoint(readScript: ReadScript): ServiceEndpoint {
  let file: Promise<StaticFile> | undefined;
  const read = async () => {
    const { script, brotli } = await readScript();
    return new StaticFile(script, SCRIPT_TYPE, [], brotli);
  };
  return { path: '/docs/scalar.js', serve: async (exchange) => (await (file ??= read())).send(exchange) };
}

/** The page on which people read and try the interface, with every file that it needs except `/docs/scalar.js`. */
export function referencePages(): ServiceEndpoint[] {
  const document = pageFile(PAGE, POLICY);
  const stylesheet = new StaticFile(STYLESHEET, 'text/css; charset=utf-8');
  const start = new StaticFile(START, SCRIPT_TYPE);
  return [
    { path: '/docs', serve: (exchange) => document.send(exchange) },
    { path: '/docs/reference.css', serve: (exchange) => stylesheet.send(exchange) },
    { path: '/docs/start.js', serve: (exchange) => start.send(exchange) },
  ];
}
