import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { DocumentCheck } from '../support/document-check.ts';
import { freshFolder } from '../support/temporary.ts';
import { COMMITTED, type Json, operationsOf, printed, publishedDocument, resolved } from './document.ts';

const CONFIG = fileURLToPath(new URL('redocly.yaml', import.meta.url));
const REDOCLY = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));

/**
 * The given schemas: for each field its type, format and limits, with `!` where it is required; then the optional fields that
 * this project adds.
 */
const GIVEN: Record<string, { fields: Record<string, string>; added?: readonly string[]; request?: true }> = {
  NewPet: {
    fields: { name: 'string 1..100 !', categoryId: 'integer int64 id !', status: 'PetStatus =available' },
    request: true,
  },
  Pet: {
    fields: {
      id: 'integer int64 id !',
      name: 'string 1..100 !',
      categoryId: 'integer int64 id !',
      status: 'PetStatus =available',
    },
  },
  NewCategory: { fields: { name: 'string 1..100 !', description: 'string 0..1000' }, request: true },
  Category: { fields: { id: 'integer int64 id !', name: 'string 1..100 !', description: 'string 0..1000' } },
  Order: {
    fields: {
      id: 'integer int64 id',
      petId: 'integer int64 id',
      quantity: 'integer 1..1000000',
      shipDate: 'string date-time',
      complete: 'boolean',
    },
  },
  InventoryItem: {
    fields: { petId: 'integer int64 id !', quantity: 'integer 0..1000000000 !', status: 'PetStatus !' },
    added: ['reserved'],
  },
  InventoryUpdate: { fields: { quantity: 'integer 0..1000000000 !' }, request: true },
  Error: {
    fields: { code: 'string !', message: 'string !', status: 'integer 400..599 !' },
    added: ['details', 'requestId'],
  },
};

/** A field in the words of the table above. */
function wordsFor(schema: Json, isRequired: boolean): string {
  const isStatus = JSON.stringify(schema).includes('"#/components/schemas/PetStatus"');
  const { type, format, minimum, maximum, minLength = 0, maxLength } = schema;
  const isId = minimum === 1 && maximum === 9007199254740991;
  const words = [
    isStatus ? 'PetStatus' : type,
    format,
    isId ? 'id' : maximum !== undefined && `${minimum}..${maximum}`,
    maxLength !== undefined && `${minLength}..${maxLength}`,
    schema.default !== undefined && `=${schema.default}`,
    isRequired && '!',
  ];
  return words.filter(Boolean).join(' ');
}

const OPERATIONS = `
  GET /pets listPets 200
  POST /pets createPet 201
  POST /pets/batch createPets 201 beta
  GET /pets/{petId} getPet 200 deprecated
  GET /store/pets/{petId} getStorePet 200
  PUT /store/pets/{petId} replacePet 200
  PATCH /store/pets/{petId} updatePet 200
  DELETE /store/pets/{petId} deletePet 204
  GET /categories listCategories 200
  POST /categories createCategory 201
  GET /categories/{categoryId} getCategory 200
  PUT /categories/{categoryId} replaceCategory 200
  PATCH /categories/{categoryId} updateCategory 200
  DELETE /categories/{categoryId} deleteCategory 204
  GET /store/orders listOrders 200
  POST /store/orders placeOrder 201
  GET /store/orders/{orderId} getOrder 200
  PATCH /store/orders/{orderId} updateOrder 200
  DELETE /store/orders/{orderId} cancelOrder 204
  GET /store/inventory listInventory 200
  GET /store/inventory/summary getInventorySummary 200
  GET /store/inventory/{petId} getInventoryItem 200
  PUT /store/inventory/{petId} setStock 200
  GET /store/inventory/{petId}/movements listStockMovements 200 beta
  GET /store/webhooks listWebhooks 200 beta
  POST /store/webhooks createWebhook 201 beta
  GET /store/webhooks/{webhookId} getWebhook 200 beta
  PATCH /store/webhooks/{webhookId} updateWebhook 200 beta
  DELETE /store/webhooks/{webhookId} deleteWebhook 204 beta
  POST /store/webhooks/{webhookId}/rotate-secret rotateWebhookSecret 200 beta
  GET /store/webhooks/{webhookId}/deliveries listWebhookDeliveries 200 beta
  POST /store/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver redeliverWebhook 202 beta
  POST /store/webhooks/{webhookId}/ping pingWebhook 202 beta
  GET /store/events listEvents 200 experimental`
  .trim()
  .split('\n')
  .map((line) => line.trim());

/** Settings that put the most into the document. Nothing is opened to describe the service. */
const KEYS_AND_TOKENS = {
  DATABASE_URL: 'sqlite:nothing.db',
  PETSTORE_AUTH: 'api-key,jwt',
  PETSTORE_JWT_ISSUER: 'https://id.example',
  PETSTORE_JWT_AUDIENCE: 'petstore',
  PETSTORE_JWT_JWKS: 'https://id.example/keys',
};

describe('The OpenAPI document', () => {
  let document: Json;

  before(async () => {
    document = await publishedDocument();
  });

  it('is committed as the service serves it (npm run document)', async () => {
    expect(await readFile(COMMITTED, 'utf8')).to.equal(await printed());
  });

  it('says which version it is', () => {
    expect(document.openapi).to.equal('3.0.3');
    expect(document.info.version).to.equal('1.0.0');
  });

  it('has the operations of the interface, each with what it succeeds with and how stable it is', () => {
    const found = operationsOf(document).map(({ path, method, operation }) => {
      const success = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      const marks = [operation['x-stability'], operation.deprecated && 'deprecated'].filter(Boolean);
      return [method.toUpperCase(), path, operation.operationId, ...success, ...marks].join(' ');
    });

    expect(found).to.have.members(OPERATIONS);
  });

  for (const [name, { fields, added = [], request }] of Object.entries(GIVEN)) {
    it(`has the schema ${name} as it was given`, () => {
      const { type, properties, required = [], additionalProperties } = document.components.schemas[name];
      const given = Object.entries<Json>(properties).filter(([field]) => !added.includes(field));

      expect(type).to.equal('object');
      expect(additionalProperties).to.equal(request ? false : undefined);
      expect(
        Object.fromEntries(given.map(([field, schema]) => [field, wordsFor(schema, required.includes(field))])),
      ).to.deep.equal(fields);
      expect(Object.keys(properties)).to.have.members([...Object.keys(fields), ...added]);
      expect(Object.keys(fields), 'every required field was given').to.include.members(required);
    });
  }

  it('has Pets as an array of Pet, and PetStatus with its three values', () => {
    const { Pets, PetStatus } = document.components.schemas;

    expect(Pets).to.include({ type: 'array' });
    expect(Pets.items).to.deep.equal({ $ref: '#/components/schemas/Pet' });
    expect(PetStatus.type).to.equal('string');
    expect(PetStatus.enum).to.deep.equal(['available', 'pending', 'sold']);
  });

  it('writes every enumeration of a body or parameter once, and refers to it elsewhere', () => {
    const written = [...schemasIn(document)].filter(
      ({ schema, pointer }) => schema.enum && !pointer.startsWith('/components/headers/'),
    );

    expect(written.length).to.be.above(4);
    for (const { pointer } of written) expect(pointer).to.match(/^\/components\/schemas\/\w+$/);
  });

  it('writes every object once, under a name', () => {
    for (const { schema, pointer } of schemasIn(document)) {
      if (schema.type === 'object') expect(pointer).to.match(/^\/components\/schemas\/\w+$/);
    }
  });

  it('closes the schemas of requests, and leaves those of responses open', () => {
    const reached = (place: Json, names = new Set<string>()): Set<string> => {
      for (const [, name = ''] of JSON.stringify(place ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (!names.has(name)) reached(document.components.schemas[name], names.add(name));
      }
      return names;
    };
    const { schemas, responses } = document.components;
    const operations = operationsOf(document).map(({ operation }) => operation);
    const isObject = (name: string) => schemas[name].type === 'object';
    const requests = [...reached(operations.map(({ requestBody }) => requestBody))].filter(isObject);
    const answers = [...reached([responses, ...operations.map((operation) => operation.responses)])].filter(isObject);

    expect(requests).to.include.members(['NewPet', 'OrderPatch', 'InventoryUpdate']);
    for (const name of requests) expect(schemas[name].additionalProperties, name).to.equal(false);
    expect(answers).to.include.members(['Pet', 'StorePet', 'Category', 'ErrorDetail', 'InventoryShare', 'Problem']);
    for (const name of answers) expect(schemas[name], name).to.not.have.property('additionalProperties');
  });

  it('has patterns that Go, Java and Python read as well', () => {
    const patterns = [...schemasIn(document)].flatMap(({ schema }) => schema.pattern ?? []);

    expect(patterns.length).to.be.above(10);
    for (const pattern of patterns) {
      expect(pattern, 'no \\u, no look-around, no back reference').to.not.match(/\\u|\(\?[^:]|\\[1-9]/);
    }
  });

  it('has a format and limits for every integer, except those of the published schemas', () => {
    const integers = [...schemasIn(document)].filter(({ schema }) => schema.type === 'integer');
    const given = /^\/components\/schemas\/(Order|InventoryItem|InventoryUpdate|Error)\/properties\/(quantity|status)$/;

    expect(integers.length).to.be.above(20);
    for (const { schema, pointer } of integers) {
      expect(schema, pointer).to.include.keys('minimum', 'maximum');
      expect(schema.format, pointer).to.be.oneOf(given.test(pointer) ? [undefined] : ['int32', 'int64']);
    }
  });

  it('limits every list and every cursor', () => {
    const lists = [...schemasIn(document)].filter(({ schema }) => schema.type === 'array');

    expect(lists.length).to.be.above(8);
    for (const { schema, pointer } of lists) expect(schema, pointer).to.have.property('maxItems');
    expect(document.components.parameters.Cursor.schema).to.include.keys('pattern', 'maxLength');
  });

  it('describes every operation, parameter, schema, property, response and header, and names a contact', () => {
    const described: [string, Json][] = [
      ...operationsOf(document).map(({ path, operation }): [string, Json] => [path, operation]),
      ...Object.entries<Json>(document.components.schemas),
      ...Object.entries<Json>(document.components.schemas).flatMap(([name, { properties = {} }]) =>
        Object.entries<Json>(properties).map(([field, schema]): [string, Json] => [`${name}.${field}`, schema]),
      ),
      ...Object.entries<Json>(document.components.headers),
      ...Object.entries<Json>(document.components.responses),
      ...operationsOf(document).flatMap(({ path, operation }) =>
        [...operation.parameters, ...Object.values(operation.responses)].map((thing): [string, Json] => [path, thing]),
      ),
    ];

    expect(described.length).to.be.above(300);
    for (const [name, thing] of described) {
      const [inner = thing] = thing.allOf ?? [];
      expect(resolved(document, inner).description, name).to.match(/^.{4,}[.)]$/s);
    }
    expect(document.info.contact).to.have.property('name');
  });

  it('has no example for keys and conditions, which tools would send with every request', () => {
    const { parameters } = document.components;

    for (const name of ['IdempotencyKey', 'IfMatch', 'IfNoneMatch']) {
      expect(parameters[name], name).to.include.keys('name', 'schema');
      expect(JSON.stringify(parameters[name]), name).to.not.include('example');
    }
  });

  it('asks for no credential while authentication is off, and for one otherwise', async () => {
    const { paths } = await publishedDocument(KEYS_AND_TOKENS);

    expect(document.paths['/pets'].get.security).to.deep.equal([{}, { ApiKey: [] }, { Bearer: [] }]);
    expect(paths['/pets'].get.security).to.deep.equal([{ ApiKey: [] }, { Bearer: [] }, { OpenId: ['pets:read'] }]);
  });

  it('is smaller than 220 kB, with every kind of credential and with limits too', async () => {
    for (const settings of [{}, { ...KEYS_AND_TOKENS, PETSTORE_REQUIRE_IF_MATCH: 'on' }]) {
      expect(Buffer.byteLength(JSON.stringify(await publishedDocument(settings)))).to.be.below(220_000);
    }
  });

  it('limits identifiers to numbers that every JSON client represents exactly', () => {
    const identifiers = [...schemasIn(document)].filter(
      ({ schema, name }) => schema.format === 'int64' && /(^|I)d$/.test(name),
    );

    expect(identifiers).to.have.length.above(10);
    for (const { schema, pointer } of identifiers) {
      expect(schema, pointer).to.include({ type: 'integer', minimum: 1, maximum: 9007199254740991 });
    }
  });

  it('has only links to existing operations, parameters and fields', () => {
    const byId = new Map(operationsOf(document).map(({ operation }) => [operation.operationId, operation]));
    let links = 0;
    for (const { operation } of operationsOf(document)) {
      for (const response of Object.values<Json>(operation.responses)) {
        const { links: own = {}, content } = resolved(document, response);
        for (const [name, link] of Object.entries<Json>(own)) {
          const { operationId, parameters = {} } = link;
          expect(link, 'generators reject a link with a body').to.not.have.property('requestBody');
          const target = byId.get(operationId) ?? expect.fail(`${operation.operationId}: ${name} leads nowhere`);
          const taken = target.parameters.map((parameter: Json) => resolved(document, parameter).name);
          expect(taken, name).to.include.members(Object.keys(parameters));
          const body = resolved(document, content['application/json'].schema);
          for (const expression of Object.values<string>(parameters)) {
            const [, field = ''] = /^\$response\.body#\/(\w+)$/.exec(expression) ?? [];
            expect(body.properties, `${name}: ${expression}`).to.have.property(field);
          }
          links += 1;
        }
      }
    }
    expect(links).to.be.above(10);
  });

  it('has only examples that its own schemas allow', () => {
    const check = DocumentCheck.by(JSON.stringify(document));

    const examples = [...examplesIn(document)];

    expect(examples).to.have.length.above(150);
    for (const { pointer, example } of examples) {
      expect(check.schemaFaults(pointer, example), pointer).to.deep.equal([]);
    }
  });
});

/** Every schema in the document, with its pointer and the name of its field. */
function* schemasIn(value: Json, pointer = '', name = ''): Iterable<{ schema: Json; pointer: string; name: string }> {
  if (typeof value !== 'object' || value === null) return;
  if (typeof value.type === 'string') yield { schema: value, pointer, name };
  for (const [key, inner] of Object.entries<Json>(value)) {
    if (key === 'example' || key === 'examples') continue;
    const own = key === 'schema' || key === 'items' ? (value.name ?? name) : key;
    yield* schemasIn(inner, `${pointer}/${escaped(key)}`, own);
  }
}

/** Every example in the document, with the pointer of the schema that it must keep to. */
function* examplesIn(
  document: Json,
  value: Json = document,
  pointer = '',
): Iterable<{ pointer: string; example: Json }> {
  if (typeof value !== 'object' || value === null) return;
  const schema = value.schema ? `${pointer}/schema` : pointer;
  if ('example' in value) yield { pointer: schema, example: value.example };
  if (value.schema && value.examples) {
    for (const given of Object.values<Json>(value.examples)) {
      yield { pointer: schema, example: resolved(document, given).value };
    }
  }
  for (const [key, inner] of Object.entries<Json>(value)) {
    if (key !== 'example' && key !== 'examples') yield* examplesIn(document, inner, `${pointer}/${escaped(key)}`);
  }
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What each rule of redocly.yaml must notice. */
const VIOLATIONS: Record<string, (document: Json) => void> = {
  'security-defined': ({ paths }) => delete paths['/pets'].get.security,
  'operation-operationId-unique': ({ paths }) => (paths['/pets'].post.operationId = 'listPets'),
  'operation-operationId-url-safe': ({ paths }) => (paths['/pets'].get.operationId = 'list pets'),
  'operation-tag-defined': ({ tags }) => (tags[0].name = 'Animals'),
  'no-unresolved-refs': ({ components }) => (components.schemas.Pets.items.$ref = '#/components/schemas/Dog'),
  'no-unused-components': ({ components }) => (components.schemas.Dog = { type: 'object', description: 'A dog.' }),
  'no-invalid-media-type-examples': ({ paths }) =>
    (paths['/pets'].post.requestBody.content['application/json'].example = { name: 7, categoryId: 1 }),
  'parameter-description': ({ components }) => delete components.parameters.Limit.description,
  'rule/operation-has-its-marks': ({ paths }) => delete paths['/pets'].get['x-stability-level'],
  'rule/operation-summary': ({ paths }) => (paths['/pets'].get.summary = ''),
  'rule/operation-tag': ({ paths }) => (paths['/pets'].get.tags = ['Pets', 'Store']),
  'rule/operation-stability-level': ({ paths }) => (paths['/pets'].get['x-stability-level'] = 'gamma'),
  'rule/unstable-operation-has-its-marks': ({ paths }) => delete paths['/pets/batch'].post['x-badges'],
  'rule/beta-operation': ({ paths }) => (paths['/pets/batch'].post['x-stability'] = 'experimental'),
  'rule/experimental-operation': ({ paths }) => (paths['/pets/batch'].post['x-stability-level'] = 'alpha'),
  'rule/stable-operation': ({ paths }) => (paths['/pets'].get['x-badges'] = []),
  'rule/unstable-response-says-so': ({ components }) => delete components.responses.BetaNotAcceptable.headers.Stability,
  'rule/deprecated-operation-has-its-dates': ({ paths }) => delete paths['/pets/{petId}'].get['x-sunset'],
  'rule/sunset-is-a-date': ({ paths }) => (paths['/pets/{petId}'].get['x-deprecated-sunset'] = 'next year'),
  'rule/deprecated-response-says-so': ({ components }) =>
    delete components.responses.DeprecatedPetNotFound.headers.Sunset,
  'rule/response-has-headers': ({ paths }) => delete paths['/pets'].get.responses['200'].headers,
  'rule/response-has-the-common-headers': ({ components }) =>
    delete components.responses.Unavailable.headers['X-Request-Id'],
  'rule/error-has-both-forms': ({ components }) => delete components.responses.NotAcceptable.content,
  'rule/error-media-types': ({ components }) =>
    delete components.responses.NotAcceptable.content['application/problem+json'],
  'rule/error-schema': ({ components }) =>
    (components.responses.NotAcceptable.content['application/json'].schema.$ref = '#/components/schemas/Problem'),
  'rule/problem-schema': ({ components }) =>
    (components.responses.NotAcceptable.content['application/problem+json'].schema.$ref = '#/components/schemas/Error'),
  'rule/bodies-have-examples': ({ paths }) =>
    delete paths['/pets'].get.responses['200'].content['application/json'].example,
  'rule/path-parameters-have-examples': ({ components }) => delete components.parameters.PetId.example,
};

describe('The rules of the OpenAPI document', () => {
  const folder = freshFolder();

  it('are kept, and each of them reports a violation', async () => {
    const document = await publishedDocument();
    const introduced = Object.entries(VIOLATIONS).map(([rule, introduce]) => {
      const copy = structuredClone(document);
      introduce(copy);
      return [rule, copy] as const;
    });

    const found = await lint(folder(), [document, ...introduced.map(([, copy]) => copy)]);

    expect(found[0]).to.deep.equal([]);
    introduced.forEach(([rule], i) => void expect(found[i + 1]).to.include(rule));
  });

  it('are all tested with a violation', async () => {
    const config = await readFile(CONFIG, 'utf8');
    const rules = Array.from(config.matchAll(/^ {2}(rule\/[\w-]+):/gm), ([, rule]) => rule);

    expect(rules).to.have.length.above(10);
    expect(Object.keys(VIOLATIONS)).to.include.members(rules);
  });
});

/** Lints each document by the rules of the project. Returns the violated rules. Nothing is sent anywhere. */
async function lint(folder: string, documents: readonly Json[]): Promise<string[][]> {
  const files = documents.map((_, i) => `${i}.json`);
  await Promise.all(files.map((file, i) => writeFile(join(folder, file), JSON.stringify(documents[i]))));
  const options = [`--config=${CONFIG}`, '--format=json', '--max-problems=1000'];
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const quiet = { ...env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const printed = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [REDOCLY, 'lint', ...files, ...options],
      { cwd: folder, maxBuffer: 64 * 1024 * 1024, env: quiet },
      (_error, out, err) => resolve(out || expect.fail(err)),
    );
  });
  // One JSON object for each document, one after the other.
  const reports = printed
    .split(/(?<=^\})(?=\{$)/m)
    .map((report) => JSON.parse(report) as { problems: { ruleId: string }[] });
  expect(reports).to.have.length(documents.length);
  return reports.map(({ problems }) => problems.map(({ ruleId }) => ruleId));
}
