import { API_VERSION, type ApiSettings, requiresAuthentication } from '../../../api/settings.ts';
import type { ServiceEndpoint } from '../handler/service-endpoint.ts';
import { type Html, html, PageOrJson, page, SCRIPT_TYPE } from './html.ts';
import { ADDRESS_SCRIPT, PET, STYLESHEET } from './look.ts';
import { StaticFile } from './static-file.ts';

const DESCRIPTION = 'Pets, categories, orders and stock over HTTP and JSON. Stock never oversells and always adds up.';

/** The root of the service, for people and for programs, and the files that the pages share. */
export function landingPages(settings: ApiSettings): ServiceEndpoint[] {
  const links = Object.entries(pathsOf(settings)).map(([name, path]) => [name, settings.publicUrl + path]);
  const index = { name: 'Petstore', description: DESCRIPTION, version: API_VERSION, links: Object.fromEntries(links) };
  const files = {
    '/': new PageOrJson(landingPage(settings), index),
    '/docs/petstore.css': new StaticFile(STYLESHEET, 'text/css; charset=utf-8'),
    '/docs/pet.svg': new StaticFile(PET, 'image/svg+xml'),
    '/docs/address.js': new StaticFile(ADDRESS_SCRIPT, SCRIPT_TYPE),
  };
  return Object.entries(files).map(([path, file]) => ({ path, serve: (exchange) => file.send(exchange) }));
}

function pathsOf({ basePath }: ApiSettings) {
  return {
    reference: '/docs',
    openapiJson: '/openapi.json',
    openapiYaml: '/openapi.yaml',
    asyncapi: '/asyncapi.json',
    errors: '/errors',
    live: '/health/live',
    ready: '/health/ready',
    metrics: '/metrics',
    pets: `${basePath}/pets`,
    categories: `${basePath}/categories`,
    orders: `${basePath}/store/orders`,
    inventory: `${basePath}/store/inventory`,
  };
}

function landingPage(settings: ApiSettings): string {
  const { reference, openapiJson, openapiYaml, asyncapi, errors, live, ready, metrics } = pathsOf(settings);
  const isProtected = requiresAuthentication(settings.credentials);
  const body = html`<main class="content">
<h1>Petstore</h1>
<p class="lead">${DESCRIPTION}</p>
<ul class="cards">
<li><a href=".${reference}"><strong>Reference</strong></a><p>Every operation, with examples. Requests can be sent from the page.</p></li>
<li><strong>OpenAPI document</strong><p><a href=".${openapiJson}">JSON</a> and <a href=".${openapiYaml}">YAML</a>, version 3.0.3, for client generators and other tools.</p></li>
<li><a href=".${asyncapi}"><strong>AsyncAPI document</strong></a><p>The events and their live stream, version 3.0.</p></li>
<li><a href=".${errors}"><strong>Error codes</strong></a><p>What each code means and what to do about it.</p></li>
<li><strong>Health</strong><p><a href=".${live}">Live</a>: the process answers. <a href=".${ready}">Ready</a>: the store answers too.</p></li>
<li><a href=".${metrics}"><strong>Metrics</strong></a><p>Prometheus text.${isProtected ? ' A credential with the scope store:read is required.' : ''}</p></li>
</ul>
<h2 id="try">Commands to try</h2>
${settings.publicUrl === '' ? VARIABLE : ''}<p class="quiet">${
    isProtected
      ? html`Authentication is on: set <code>PETSTORE_KEY</code> to your key or token first.`
      : 'Authentication is off: no credential is needed.'
  }</p>
<div class="commands">
${commands(settings, isProtected)}</div>
</main>`;
  return page('Petstore', './', body, html`<script src="./docs/address.js" defer></script>\n`);
}

const VARIABLE = html`<noscript><p>Set <code>PETSTORE</code> to the address of this page, without the slash at its end.</p></noscript>
`;

/**
 * None of them changes the store, so they can be repeated. If the service does not know its public address, the
 * script of the page writes the address in place of the variable: `Host` is not trusted.
 */
function commands(settings: ApiSettings, isProtected: boolean): Html[] {
  const { pets, inventory, orders, errors } = pathsOf(settings);
  const address = settings.publicUrl === '' ? html`<span data-address>$PETSTORE</span>` : settings.publicUrl;
  const credential = isProtected ? ' -H "Authorization: Bearer $PETSTORE_KEY"' : '';
  const command = (about: string, path: string, options: string) => html`<p>${about}</p>
<pre><code>curl -s "${address}${path}"${options}</code></pre>
`;
  return [
    command('List the first three pets that are available:', `${pets}?status=available&limit=3`, credential),
    command('Count the pets and the units on hand, by status:', `${inventory}/summary`, credential),
    command(
      'Send an invalid order. The error names every fault at once:',
      orders,
      `${credential} -H 'Content-Type: application/json' -d '{"petId": "seven", "quantity": 0}'`,
    ),
    command('Ask what that error means:', `${errors}/validation_failed`, ''),
  ];
}
