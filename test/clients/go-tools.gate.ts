import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
import { tellsTheStory } from './story.ts';
import { DOCUMENT, goCommand, needs, run, story } from './tools.ts';

const MODULE = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const LIBRARIES = ['github.com/oapi-codegen/runtime@v1.8.0', 'github.com/oapi-codegen/nullable@v1.1.0'];

const CONFIGURATION = `
package: client
output: client/client.go
generate:
  models: true
  client: true
output-options:
  nullable-type: true
compatibility:
  always-prefix-enum-values: true
`;

const VALIDATOR = 'github.com/getkin/kin-openapi@v0.146.0';

describe('kin-openapi', function () {
  this.timeout(600_000);
  const work = freshFolder();
  needs('go');

  it('validates the document, and rejects a pattern that RE2 cannot read', async () => {
    const folder = work();
    await copyFile(story('validate.go'), join(folder, 'main.go'));
    await run('go', ['mod', 'init', 'validate'], folder);
    await run('go', ['get', VALIDATOR], folder);
    await run('go', ['mod', 'tidy'], folder);
    await run('go', ['build', '-o', 'validate', '.'], folder);
    const unreadable = join(folder, 'unreadable.json');
    await writeFile(unreadable, (await readFile(DOCUMENT, 'utf8')).replaceAll('\\\\x1f', '\\\\u001f'));

    await run(join(folder, 'validate'), [DOCUMENT], folder);
    const result = await run(join(folder, 'validate'), [unreadable], folder).catch(String);

    expect(result).to.include('invalid escape sequence');
  });
});

describe('oapi-codegen', function () {
  this.timeout(600_000);
  const work = freshFolder();
  needs('go');

  it('makes a Go client that tells the story', async () => {
    const generator = await goCommand('oapi-codegen-2.8.2', MODULE);
    const folder = work();
    await mkdir(join(folder, 'client'));
    await writeFile(join(folder, 'configuration.yaml'), CONFIGURATION);
    await run(generator, ['-config', 'configuration.yaml', DOCUMENT], folder);
    await copyFile(story('main.go'), join(folder, 'main.go'));

    await run('go', ['mod', 'init', 'petstore'], folder);
    await run('go', ['get', ...LIBRARIES], folder);
    await run('go', ['mod', 'tidy'], folder);
    await run('go', ['vet', './...'], folder);
    await run('go', ['build', '-o', 'story', '.'], folder);

    await tellsTheStory((url) => run(join(folder, 'story'), [url], folder));
  });
});
