import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { DocumentCheck } from '../support/document-check.ts';
import { freshFolder } from '../support/temporary.ts';
import { type Json, operationsOf, publishedDocument, resolved } from './document.ts';

const CONFIG = fileURLToPath(new URL('redocly.yaml', import.meta.url));
const REDOCLY = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));

/** The schemas that were given, with their fields: type, format, and whether they are required; then what may be added. */
const GIVEN: Record<string, { fields: Record<string, string>; added?: readonly string[] }> = {
  NewPet: { fields: { name: 'string!', categoryId: 'integer:int64!', status: 'PetStatus' } },
  Pet: { fields: { id: 'integer:int64!', name: 'string!', categoryId: 'integer:int64!', status: 'PetStatus' } },
  NewCategory: { fields: { name: 'string!', description: 'string' } },
  Category: { fields: { id: 'integer:int64!', name: 'string!', description: 'string' } },
  Order: {
    fields: {
      id: 'integer:int64',
      petId: 'integer:int64',
      quantity: 'integer',
      shipDate: 'string:date-time',
      complete: 'boolean',
    },
  },
  InventoryItem: {
    fields: { petId: 'integer:int64!', quantity: 'integer!', status: 'PetStatus!' },
    added: ['reserved'],
  },
  InventoryUpdate: { fields: { quantity: 'integer!' }, added: ['petId', 'status', 'reserved'] },
  Error: { fields: { code: 'string!', message: 'string!', status: 'integer!' }, added: ['details', 'requestId'] },
};

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
  GET /store/inventory/{petId}/movements listStockMovements 200 beta`
  .trim()
  .split('\n')
  .map((line) => line.trim());

describe('The OpenAPI document', () => {
  let document: Json;

  before(async () => {
    document = await publishedDocument();
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

  for (const [name, { fields, added = [] }] of Object.entries(GIVEN)) {
    it(`has the schema ${name} as it was given`, () => {
      const { type, properties, required = [], additionalProperties } = document.components.schemas[name];
      const shown = Object.entries<Json>(properties)
        .filter(([field]) => !added.includes(field))
        .map(([field, schema]) => {
          const { type, format } = resolved(document, schema);
          const isStatus = schema.$ref?.endsWith('/PetStatus') || String(schema.enum) === 'available,pending,sold';
          const said = isStatus ? 'PetStatus' : [type, format].filter(Boolean).join(':');
          return [field, `${said}${required.includes(field) ? '!' : ''}`];
        });

      expect(type).to.equal('object');
      expect(additionalProperties).to.equal(false);
      expect(Object.fromEntries(shown)).to.deep.equal(fields);
      expect(required.filter((field: string) => added.includes(field))).to.deep.equal([]);
    });
  }

  it('has Pets as an array of Pet, and PetStatus with its three values', () => {
    const { Pets, PetStatus } = document.components.schemas;

    expect(Pets).to.include({ type: 'array' });
    expect(Pets.items).to.deep.equal({ $ref: '#/components/schemas/Pet' });
    expect(PetStatus).to.deep.equal({ type: 'string', enum: ['available', 'pending', 'sold'] });
  });

  it('holds identifiers to what every JSON client keeps exactly', () => {
    const identifiers = [...schemasIn(document)].filter(
      ({ schema, name }) => schema.format === 'int64' && /(^|I)d$/.test(name),
    );

    expect(identifiers).to.have.length.above(10);
    for (const { schema, pointer } of identifiers) {
      expect(schema, pointer).to.include({ type: 'integer', minimum: 1, maximum: 9007199254740991 });
    }
  });

  it('has only links that lead somewhere: operation, parameters, and the fields that they take', () => {
    const byId = new Map(operationsOf(document).map(({ operation }) => [operation.operationId, operation]));
    let links = 0;
    for (const { operation } of operationsOf(document)) {
      for (const response of Object.values<Json>(operation.responses)) {
        const { links: own = {}, content } = resolved(document, response);
        for (const [name, { operationId, parameters = {}, requestBody = {} }] of Object.entries<Json>(own)) {
          const target = byId.get(operationId) ?? expect.fail(`${operation.operationId}: ${name} leads nowhere`);
          const taken = target.parameters.map((parameter: Json) => parameter.name);
          expect(taken, name).to.include.members(Object.keys(parameters));
          if (Object.keys(requestBody).length > 0) {
            const { schema } = target.requestBody.content['application/json'];
            expect(resolved(document, schema).properties).to.include.keys(Object.keys(requestBody));
          }
          const body = resolved(document, content['application/json'].schema);
          for (const expression of Object.values<string>({ ...parameters, ...requestBody })) {
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

    expect(examples).to.have.length.above(200);
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
function* examplesIn(value: Json, pointer = ''): Iterable<{ pointer: string; example: Json }> {
  if (typeof value !== 'object' || value === null) return;
  const schema = value.schema ? `${pointer}/schema` : pointer;
  if ('example' in value) yield { pointer: schema, example: value.example };
  if (value.schema && value.examples) {
    for (const { value: example } of Object.values<Json>(value.examples)) yield { pointer: schema, example };
  }
  for (const [key, inner] of Object.entries<Json>(value)) {
    if (key !== 'example' && key !== 'examples') yield* examplesIn(inner, `${pointer}/${escaped(key)}`);
  }
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What each rule of redocly.yaml must notice. */
const SINS: Record<string, (document: Json) => void> = {
  'security-defined': ({ paths }) => delete paths['/pets'].get.security,
  'operation-operationId-unique': ({ paths }) => (paths['/pets'].post.operationId = 'listPets'),
  'operation-operationId-url-safe': ({ paths }) => (paths['/pets'].get.operationId = 'list pets'),
  'operation-tag-defined': ({ tags }) => (tags[0].name = 'Animals'),
  'no-unresolved-refs': ({ components }) => (components.schemas.Pets.items.$ref = '#/components/schemas/Dog'),
  'no-unused-components': ({ components }) => (components.schemas.Dog = { type: 'object', description: 'A dog.' }),
  'no-invalid-media-type-examples': ({ paths }) =>
    (paths['/pets'].post.requestBody.content['application/json'].example = { name: 7, categoryId: 1 }),
  'parameter-description': ({ paths }) => delete paths['/pets'].get.parameters[0].description,
  'rule/operation-has-its-marks': ({ paths }) => delete paths['/pets'].get['x-stability-level'],
  'rule/operation-summary': ({ paths }) => (paths['/pets'].get.summary = ''),
  'rule/operation-tag': ({ paths }) => (paths['/pets'].get.tags = ['Pets', 'Store']),
  'rule/operation-stability-level': ({ paths }) => (paths['/pets'].get['x-stability-level'] = 'gamma'),
  'rule/unstable-operation-has-its-marks': ({ paths }) => delete paths['/pets/batch'].post['x-badges'],
  'rule/beta-operation': ({ paths }) => (paths['/pets/batch'].post['x-stability'] = 'experimental'),
  'rule/experimental-operation': ({ paths }) => (paths['/pets/batch'].post['x-stability-level'] = 'alpha'),
  'rule/stable-operation': ({ paths }) => (paths['/pets'].get['x-badges'] = []),
  'rule/unstable-response-says-so': ({ paths }) => delete paths['/pets/batch'].post.responses['409'].headers.Stability,
  'rule/deprecated-operation-has-its-dates': ({ paths }) => delete paths['/pets/{petId}'].get['x-sunset'],
  'rule/sunset-is-a-date': ({ paths }) => (paths['/pets/{petId}'].get['x-deprecated-sunset'] = 'next year'),
  'rule/deprecated-response-says-so': ({ paths }) => delete paths['/pets/{petId}'].get.responses['404'].headers.Sunset,
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
  'rule/path-parameters-have-examples': ({ paths }) => delete paths['/store/pets/{petId}'].get.parameters[0].example,
};

describe('The rules of the OpenAPI document', function () {
  this.timeout(60_000);
  const folder = freshFolder();

  it('are kept, and each of them notices who breaks it', async () => {
    const document = await publishedDocument();
    const planted = Object.entries(SINS).map(([rule, plant]) => {
      const copy = structuredClone(document);
      plant(copy);
      return [rule, copy] as const;
    });

    const found = await lint(folder(), [document, ...planted.map(([, copy]) => copy)]);

    expect(found[0]).to.deep.equal([]);
    planted.forEach(([rule], i) => void expect(found[i + 1]).to.include(rule));
  });

  it('are all among those that a sin was planted for', async () => {
    const config = await readFile(CONFIG, 'utf8');
    const rules = Array.from(config.matchAll(/^ {2}(rule\/[\w-]+):/gm), ([, rule]) => rule);

    expect(rules).to.have.length.above(10);
    expect(Object.keys(SINS)).to.include.members(rules);
  });
});

/** Lints each document by the rules of the project, and gives the rules that it breaks. Nothing is sent anywhere. */
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
