import asyncApiSpecs from '@asyncapi/specs';
import { Ajv, type AnySchema } from 'ajv';
import { expect } from 'chai';
import { CloudEvent } from 'cloudevents';
import { PUBLISHED_TYPES } from '../../src/api/cloud-events.ts';
import { openStream } from '../support/event-stream.ts';
import { type RunningPetstore, runningPetstore } from '../support/running-petstore.ts';

interface AsyncApi {
  readonly asyncapi: string;
  readonly servers?: object;
  readonly channels: Readonly<
    Record<string, { readonly address: string | null; readonly messages: Readonly<Record<string, unknown>> }>
  >;
  readonly operations: Readonly<Record<string, { readonly action: string; readonly security?: readonly object[] }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly name: string; readonly examples: readonly Example[] }>>;
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, { readonly type: string }>>;
  };
}

interface Example {
  readonly payload: unknown;
}

/** The published schema of AsyncAPI 3.0. */
const published = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
  asyncApiSpecs.schemasWithoutId['3.0.0'] as AnySchema,
);

async function documentOf(store: RunningPetstore): Promise<AsyncApi> {
  const { status, body } = await store.get<AsyncApi>('/asyncapi.json');
  expect(status).to.equal(200);
  return body;
}

function faultsOf(document: unknown): string[] {
  void published(document);
  return (published.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Validates a value by the payload of a message. */
function payloadFaults(document: AsyncApi, message: string, value: unknown): string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  void ajv.addSchema(document, 'asyncapi');
  void ajv.validate({ $ref: `asyncapi#/components/messages/${message}/payload` }, value);
  return (ajv.errors ?? []).map(({ instancePath, message: fault }) => `${instancePath} ${fault}`);
}

describe('The AsyncAPI document', () => {
  describe('of a petstore', () => {
    const store = runningPetstore();

    it('is valid by the published schema, which sees a fault', async () => {
      const document = await documentOf(store);

      expect(faultsOf(document)).to.deep.equal([]);
      expect(document.asyncapi).to.equal('3.0.0');
      const broken = { ...document, operations: { streamSend: { action: 'shout' } } };
      expect(faultsOf(broken)).to.include('/operations/streamSend/action must be equal to one of the allowed values');
    });

    it('has a message for each type of event, with a valid example, on the channel of the stream', async () => {
      const document = await documentOf(store);
      const messages = Object.entries(document.components.messages);

      expect(messages.map(([, { name }]) => name)).to.have.members(PUBLISHED_TYPES);
      expect(Object.keys(document.channels['stream']?.messages ?? {})).to.deep.equal(messages.map(([name]) => name));
      for (const [name, { examples }] of messages) {
        expect(examples).to.have.length(1);
        expect(payloadFaults(document, name, examples[0]?.payload), name).to.deep.equal([]);
      }
    });

    it('has no reference that leads nowhere, and the schemas that are used', async () => {
      const document = await documentOf(store);

      const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
      const missing = references.filter((path) => {
        const found = path
          .split('/')
          .reduce((node: unknown, step) => (node as Record<string, unknown>)[step], document);
        return found === undefined;
      });

      expect(missing).to.deep.equal([]);
      expect(Object.keys(document.components.schemas)).to.have.members([
        'Event',
        'EventType',
        'Pet',
        'PetStatus',
        'Category',
        'Order',
        'InventoryItem',
      ]);
    });

    it('describes what the stream sends: CloudEvents that the SDK accepts too', async () => {
      const document = await documentOf(store);
      const stream = await openStream(store, '/store/events?after=0');
      const { id: categoryId } = await store.category('Dogs', 'They bark.');
      await store.put(`/categories/${categoryId}`, { name: 'Hounds' });
      const pet = await store.pet({ categoryId, stock: 5 });
      await store.patch(`/store/pets/${pet.id}`, { name: 'Max' });
      const order = await store.order({ petId: pet.id, quantity: 2 });
      await store.patch(`/store/orders/${order.id}`, { quantity: 1 });
      await store.patch(`/store/orders/${order.id}`, { complete: true });
      const { id: second } = await store.order({ petId: pet.id });
      await store.delete(`/store/orders/${second}`);
      await store.delete('/categories/999');
      const other = await store.category('Cats');
      await store.delete(`/categories/${other.id}`);
      await stream.until(() => stream.text.includes('petstore.category.deleted'));

      const events = await stream.events(1);

      const names = new Map(Object.entries(document.components.messages).map(([key, { name }]) => [name, key]));
      for (const event of events) {
        expect(payloadFaults(document, names.get(event.type) ?? '', event), event.type).to.deep.equal([]);
        const cloudEvent = new CloudEvent<unknown>({ ...event }, true);
        expect([cloudEvent.id, cloudEvent.type, cloudEvent['sequence']]).to.deep.equal([
          event.id,
          event.type,
          event.sequence,
        ]);
      }
      expect(new Set(events.map(({ type }) => type)).size).to.be.at.least(9);
      stream.close();
    });

    it('is linked from the landing page and the index of links', async () => {
      const index = await store.get<{ links: Record<string, string> }>('/');
      const page = await store.get('/', { Accept: 'text/html' });
      const reference = await store.get('/docs');

      expect(index.body.links['asyncapi']).to.equal('/asyncapi.json');
      expect(page.text).to.include('href="./asyncapi.json"');
      expect(reference.text).to.include('href="./asyncapi.json"');
    });
  });

  describe('of a petstore with a public URL, a base path and keys', () => {
    const store = runningPetstore({
      publicUrl: 'https://api.example/shop',
      basePath: '/v1',
      auth: ['api-key'],
    });

    it('names the server, the address and the credentials', async () => {
      const document = await documentOf(store);

      expect(faultsOf(document)).to.deep.equal([]);
      expect(document.servers).to.deep.equal({
        petstore: { host: 'api.example', protocol: 'https', pathname: '/shop', description: 'This service.' },
      });
      expect(document.channels['stream']?.address).to.equal('/v1/store/events');
      expect(document.operations['streamSend']?.security).to.deep.equal([
        { $ref: '#/components/securitySchemes/ApiKey' },
        { $ref: '#/components/securitySchemes/Bearer' },
      ]);
      expect(document.components.securitySchemes['ApiKey']?.type).to.equal('httpApiKey');
    });
  });

  describe('of a petstore without unstable operations', () => {
    const store = runningPetstore({ unstable: false });

    it('has no channel', async () => {
      const document = await documentOf(store);

      expect(faultsOf(document)).to.deep.equal([]);
      expect(document.channels).to.deep.equal({});
    });
  });
});
