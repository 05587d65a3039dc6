import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
import { clientFacts, type SwaggerDocument } from './classic-document.ts';
import { classicDocument, publishedDocument, tellsTheClassicStory } from './classic-story.ts';
import { tellsTheStory } from './story.ts';
import { compile, DOCUMENT, npmPackages, run, story } from './tools.ts';

const MODULES = { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022', 'dom'], types: ['node'] };

/** Makes the packages of the tools importable in a folder. */
async function project(folder: string, tools: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  await symlink(join(tools, 'node_modules'), join(folder, 'node_modules'), 'junction');
}

describe('openapi-typescript with openapi-fetch', function () {
  this.timeout(600_000);
  const work = freshFolder();

  /** A client of a document, with a program that uses it. Returns what runs the program. */
  async function clientOf(document: string, file: string): Promise<(url: string) => Promise<string>> {
    const tools = await npmPackages('openapi-typescript-7.13.0', [
      'openapi-typescript@7.13.0',
      'openapi-fetch@0.17.0',
      'typescript@5.9.3',
      '@types/node@24.19.2',
    ]);
    const folder = work();
    await project(folder, tools);
    const command = join(tools, 'node_modules/openapi-typescript/bin/cli.js');
    const options = ['--output', 'schema.d.ts', '--default-non-nullable=false'];
    await run(process.execPath, [command, document, ...options], folder);
    await copyFile(story(file), join(folder, 'story.ts'));
    const out = await compile(tools, folder, MODULES, ['story.ts']);
    return (url) => run(process.execPath, [join(out, 'story.js'), url], folder);
  }

  it('makes a TypeScript client that tells the story', async () => {
    await tellsTheStory(await clientOf(DOCUMENT, 'openapi-fetch.ts'));
  });

  it('makes a TypeScript client of the classic petstore, version 3, that tells the classic story', async () => {
    const document = await classicDocument('v3', work());

    await tellsTheClassicStory('v3', await clientOf(document, 'classic-openapi-fetch.ts'));
  });
});

describe('hey-api with zod', function () {
  this.timeout(600_000);
  const work = freshFolder();

  /** A client of a document, with a program that uses it. Returns what runs the program. */
  async function clientOf(input: string, plugins: readonly unknown[], file: string) {
    const tools = await npmPackages('hey-api-0.99.0', [
      '@hey-api/openapi-ts@0.99.0',
      'zod@4.6.7',
      'typescript@5.9.3',
      '@types/node@24.19.2',
    ]);
    const folder = work();
    await project(folder, tools);
    const configuration = { input, output: { path: 'generated', module: { extension: '.js' } }, plugins };
    await writeFile(join(folder, 'openapi-ts.config.js'), `export default ${JSON.stringify(configuration)};\n`);
    await run(process.execPath, [join(tools, 'node_modules/@hey-api/openapi-ts/bin/run.js')], folder);
    const operations = await readFile(join(folder, 'generated/sdk.gen.ts'), 'utf8');
    for (const validator of ['requestValidator', 'responseValidator']) {
      expect(operations.includes(validator), validator).to.equal(plugins.includes('zod'));
    }
    await copyFile(story(file), join(folder, 'story.ts'));
    const out = await compile(tools, folder, MODULES, ['story.ts']);
    return (url: string) => run(process.execPath, [join(out, 'story.js'), url], folder);
  }

  it('makes a TypeScript client that validates with zod and tells the story', async () => {
    const plugins = ['@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: 'zod' }];

    await tellsTheStory(await clientOf(DOCUMENT, plugins, 'hey-api.ts'));
  });

  it('makes a TypeScript client of the published classic document, version 2, that tells the classic story', async () => {
    const plugins = ['@hey-api/client-fetch', '@hey-api/sdk'];

    await tellsTheClassicStory('v2', await clientOf(await publishedDocument(), plugins, 'classic-hey-api.ts'));
  });
});

describe('The classic document, version 2', function () {
  this.timeout(600_000);
  const work = freshFolder();

  it('has the operations and schemas of the published one, without users and with what the published one leaves open', async () => {
    const read = async (file: string) => clientFacts(JSON.parse(await readFile(file, 'utf8')) as SwaggerDocument);
    const [own, published] = [await read(await classicDocument('v2', work())), await read(await publishedDocument())];

    const unlike: string[] = [];
    for (const [name, { returned, ...operation }] of Object.entries(published.operations)) {
      if (name.includes(' /user')) continue;
      expect(own.operations[name], name).to.deep.include(operation);
      if (returned) expect(own.operations[name]?.returned, name).to.deep.equal(returned);
      else unlike.push(`${name} returns ${JSON.stringify(own.operations[name]?.returned)}`);
    }
    const { User: _, ...schemas } = published.schemas;
    expect(own.schemas).to.deep.equal(schemas);
    expect(unlike).to.have.members([
      'post /pet returns {"$ref":"#/definitions/Pet"}',
      'put /pet returns {"$ref":"#/definitions/Pet"}',
      'post /pet/{petId} returns {"$ref":"#/definitions/ApiResponse"}',
      'delete /pet/{petId} returns {"$ref":"#/definitions/ApiResponse"}',
      'delete /store/order/{orderId} returns {"$ref":"#/definitions/ApiResponse"}',
    ]);
  });
});
