import { Ajv, type ValidateFunction } from 'ajv';

/** A request and its response. */
export interface Exchanged {
  readonly method: string;
  /** The request target, with its query. */
  readonly target: string;
  readonly status: number;
  /** Name, value, name, value … as they were received. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
}

/** The part of an OpenAPI 3.0.3 document that the tests read. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
  };
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly security: readonly object[];
  readonly parameters: readonly (ParameterObject | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaTypeObject>> };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  readonly [mark: `x-${string}`]: unknown;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

interface MediaTypeObject {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown } | Reference>>;
}

interface HeaderObject {
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}

interface Reference {
  readonly $ref: string;
}

/** A response contradicts the document; the message has every difference. */
export class DocumentBroken extends Error {
  override readonly name = 'DocumentBroken';
}

const DOCUMENT = 'openapi';
/** Headers that mark an operation are on each of its responses, unless the request is too malformed to name the operation. */
const MARKS = ['Stability', 'Deprecation', 'Sunset', 'Link'];
/** The response may also be a stream, which has no links. */
const PAGE_LINK = '/components/headers/PageLink';
const ALWAYS = ['X-Request-Id', 'API-Version', 'Cache-Control'] as const;
const HTML = 'text/html; charset=utf-8';
/** Headers of HTTP itself and for browsers, which the document of an interface does not repeat. */
const TRANSPORT =
  /^(?:connection|keep-alive|date|transfer-encoding|content-(?:type|length|encoding)|vary|x-content-type-options|access-control-.+)$/;

/** Compares every response of the service with the document that it publishes. */
export class DocumentCheck {
  static readonly #known = new Map<string, DocumentCheck>();

  readonly document: OpenApi;
  readonly #ajv = strictAjv();
  readonly #validators = new Map<string, ValidateFunction>();

  private constructor(text: string) {
    this.document = JSON.parse(text) as OpenApi;
    // To find its way from the top of the document to a schema, Ajv must know what stands at the top.
    this.#ajv.addVocabulary(Object.keys(this.document));
    this.#ajv.addSchema(closed(this.document), DOCUMENT);
  }

  /** The check against a document, which is parsed once. */
  static by(text: string): DocumentCheck {
    const known = DocumentCheck.#known.get(text);
    if (known) return known;
    const check = new DocumentCheck(text);
    DocumentCheck.#known.set(text, check);
    return check;
  }

  /** @throws {DocumentBroken} */
  check(exchanged: Exchanged): void {
    const faults = this.#faultsOf(exchanged);
    if (faults.length === 0) return;
    const { method, target, status, body } = exchanged;
    const answer = Buffer.from(body).toString().slice(0, 1000);
    throw new DocumentBroken(`${method} ${target.slice(0, 200)} gave ${status} ${answer}\n- ${faults.join('\n- ')}`);
  }

  /** The operation of a request, by its path: a concrete path precedes a template. */
  operationOf(method: string, target: string): { template: string; operation: OperationObject } | undefined {
    const segments = segmentsOf(this.#withoutBase(target.split('?', 1)[0] as string));
    const templates = Object.keys(this.document.paths).filter((template) => matches(template, segments));
    const template = templates.find((candidate) => !candidate.includes('{')) ?? templates[0];
    if (template === undefined) return undefined;
    const operation = this.document.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
    return operation && { template, operation };
  }

  /** The parameters of an operation, with references resolved. */
  parametersOf({ parameters }: OperationObject): ParameterObject[] {
    return parameters.map((given) => this.#resolve(given, '')[0]);
  }

  /** The codes that an error response declares. */
  codesOf(declared: OperationObject['responses'][string]): string[] {
    const [{ content }] = this.#resolve(declared, '');
    return Object.keys(content?.['application/json']?.examples ?? {});
  }

  /** How a value violates the schema at a JSON pointer of the document. */
  schemaFaults(pointer: string, value: unknown): string[] {
    const uri = `${DOCUMENT}#${pointer.split('/').map(encodeURIComponent).join('/')}`;
    let validate = this.#validators.get(uri);
    if (!validate) this.#validators.set(uri, (validate = this.#ajv.compile({ $ref: uri })));
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  #faultsOf(exchanged: Exchanged): string[] {
    const { method, target, status, rawHeaders } = exchanged;
    const headers = fieldsOf(rawHeaders);
    const missing = ALWAYS.filter((name) => !headers.has(name.toLowerCase())).map((name) => `there is no ${name}`);
    const found = this.operationOf(method, target);
    if (!found) return [...missing, ...this.#outsideFaults(exchanged, headers)];

    const { template, operation } = found;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const pointer = `/paths/${toStep(template)}/${verb}/responses/${status}`;
    const declared = operation.responses[status];
    if (!declared) return [...missing, `${operation.operationId} does not declare the status ${status}`];
    const [response, at] = this.#resolve(declared, pointer);
    return [
      ...missing,
      ...this.#headerFaults(response, headers, status),
      ...this.#bodyFaults(response, at, exchanged, headers),
    ];
  }

  /** A response without an operation: of a service endpoint, or an error. */
  #outsideFaults({ status, method, target, body, rawHeaders }: Exchanged, headers: Fields): string[] {
    if (status >= 300 && status < 400 && status !== 304) return ['the service sends no redirects'];
    if (status < 400) return [];
    // Only the page about a code that does not exist is itself an error, for people.
    if (headers.get('content-type') === HTML && status === 404 && target.startsWith('/errors/')) return [];
    const allow = status === 405 && !headers.has('allow') ? ['a 405 names no methods in Allow'] : [];
    const type = headers.get('content-type') ?? '';
    const schema = { 'application/json': 'Error', 'application/problem+json': 'Problem' }[type];
    if (!schema) return [...allow, `an error comes as ${JSON.stringify(type)}`];
    if (method === 'HEAD') return [...allow, ...emptyFaults(body)];
    const pointer = `/components/schemas/${schema}`;
    return [...allow, ...this.#jsonFaults(pointer, { status, body, rawHeaders })];
  }

  #headerFaults({ headers: declared = {} }: ResponseObject, headers: Fields, status: number): string[] {
    const faults: string[] = [];
    for (const [name, given] of Object.entries(declared)) {
      const [{ required, schema }, at] = this.#resolve(given, '');
      const value = headers.get(name.toLowerCase());
      if (value === undefined) {
        const isMark = MARKS.includes(name) && status !== 400 && at !== PAGE_LINK;
        if (required || isMark) faults.push(`there is no ${name}`);
        continue;
      }
      const typed = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
      faults.push(...this.schemaFaults(`${at}/schema`, typed).map((fault) => `${name}: ${fault}`));
    }
    const names = new Set(Object.keys(declared).map((name) => name.toLowerCase()));
    for (const name of headers.keys()) {
      if (!names.has(name) && !TRANSPORT.test(name)) faults.push(`the header ${name} is not declared here`);
    }
    return faults;
  }

  #bodyFaults({ content = {} }: ResponseObject, at: string, exchanged: Exchanged, headers: Fields): string[] {
    const { method, body } = exchanged;
    const type = headers.get('content-type');
    if (Object.keys(content).length === 0) {
      const typed = type === undefined ? [] : [`an answer without a body has the type ${type}`];
      return [...typed, ...emptyFaults(body)];
    }
    if (type === undefined || !content[type]) return [`the media type ${type} is not declared`];
    if (method === 'HEAD') return emptyFaults(body);
    // The AsyncAPI document describes its events.
    if (type === 'text/event-stream') return [];
    const known = content['application/json']?.examples;
    return this.#jsonFaults(`${at}/content/${toStep(type)}/schema`, exchanged, known && Object.keys(known));
  }

  #jsonFaults(
    pointer: string,
    { status, body, rawHeaders }: Pick<Exchanged, 'status' | 'body' | 'rawHeaders'>,
    codes?: readonly string[],
  ): string[] {
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
    } catch (error) {
      return [`the body is no JSON in UTF-8: ${error}`];
    }
    const faults = this.schemaFaults(pointer, value);
    if (status < 400 || faults.length > 0) return faults;
    const error = value as { code: string; status: number; requestId?: string };
    if (error.status !== status) faults.push(`the body says ${error.status}`);
    const fields = fieldsOf(rawHeaders);
    // A replay is the first answer to the byte, and names the first request.
    if (error.requestId !== fields.get('x-request-id') && !fields.has('idempotent-replayed'))
      faults.push('body and header differ in the request id');
    if (codes && !codes.includes(error.code)) faults.push(`the code ${error.code} is not declared here`);
    return faults;
  }

  #resolve<Thing extends object>(given: Thing | Reference, pointer: string): [thing: Thing, pointer: string] {
    if (!('$ref' in given)) return [given, pointer];
    const target = given.$ref.slice(1);
    const thing = target
      .split('/')
      .slice(1)
      .reduce((node: unknown, step) => (node as Record<string, unknown>)[fromStep(step)], this.document);
    return [thing as Thing, target];
  }

  #withoutBase(path: string): string {
    const base = new URL(this.document.servers[0]?.url ?? '', 'http://any').pathname.replace(/\/$/, '');
    return path.startsWith(`${base}/`) ? path.slice(base.length) : '';
  }
}

/**
 * A copy in which every object schema is closed. Clients must ignore the fields that they do not know, so the published schemas
 * of responses are open; the tests accept what is described and nothing else.
 */
function closed(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) => {
    const isOpen = typeof inner === 'object' && inner !== null && 'properties' in inner && 'type' in inner;
    return isOpen ? { additionalProperties: false, ...inner } : inner;
  }) as object;
}

/** The dialect of OpenAPI 3.0, with formats as strict as those of the interface. */
function strictAjv(): Ajv {
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, validateFormats: true });
  ajv.addKeyword('example');
  ajv.addFormat('int64', { type: 'number', validate: (value: number) => Number.isSafeInteger(value) });
  ajv.addFormat('int32', { type: 'number', validate: (value: number) => value === (value | 0) });
  ajv.addFormat('date-time', (text: string) => {
    const isUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text);
    return isUtc && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;
  });
  ajv.addFormat('uri', (text: string) => /^[!-~]+$/.test(text) && URL.canParse(text));
  ajv.addFormat(
    'uri-reference',
    (text: string) => /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(text) && URL.canParse(text, 'http://any'),
  );
  return ajv;
}

type Fields = ReadonlyMap<string, string>;

/** Header fields by their name in lower case; repeated fields are joined. */
export function fieldsOf(rawHeaders: readonly string[]): Fields {
  const fields = new Map<string, string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = rawHeaders[i + 1] as string;
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}

function emptyFaults(body: Uint8Array): string[] {
  return body.length === 0 ? [] : [`there is a body of ${body.length} bytes where none is declared`];
}

function segmentsOf(path: string): string[] {
  return path.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  });
}

function matches(template: string, segments: readonly string[]): boolean {
  const parts = template.split('/');
  return (
    parts.length === segments.length &&
    parts.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
  );
}

function toStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function fromStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
