import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
