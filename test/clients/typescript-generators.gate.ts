import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
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

  it('makes a TypeScript client that tells the story', async () => {
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
    await run(process.execPath, [command, DOCUMENT, ...options], folder);
    await copyFile(story('openapi-fetch.ts'), join(folder, 'story.ts'));

    const out = await compile(tools, folder, MODULES, ['story.ts']);

    await tellsTheStory((url) => run(process.execPath, [join(out, 'story.js'), url], folder));
  });
});

describe('hey-api with zod', function () {
  this.timeout(600_000);
  const work = freshFolder();

  it('makes a TypeScript client that validates with zod and tells the story', async () => {
    const tools = await npmPackages('hey-api-0.99.0', [
      '@hey-api/openapi-ts@0.99.0',
      'zod@4.6.7',
      'typescript@5.9.3',
      '@types/node@24.19.2',
    ]);
    const folder = work();
    await project(folder, tools);
    const configuration = {
      input: DOCUMENT,
      output: { path: 'generated', module: { extension: '.js' } },
      plugins: ['@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: 'zod' }],
    };
    await writeFile(join(folder, 'openapi-ts.config.js'), `export default ${JSON.stringify(configuration)};\n`);
    await run(process.execPath, [join(tools, 'node_modules/@hey-api/openapi-ts/bin/run.js')], folder);
    const operations = await readFile(join(folder, 'generated/sdk.gen.ts'), 'utf8');
    expect(operations).to.include('requestValidator').and.to.include('responseValidator');
    await copyFile(story('hey-api.ts'), join(folder, 'story.ts'));

    const out = await compile(tools, folder, MODULES, ['story.ts']);

    await tellsTheStory((url) => run(process.execPath, [join(out, 'story.js'), url], folder));
  });
});
