import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
import { tellsTheStory } from './story.ts';
import { DOCUMENT, needs, pythonPackages, run, story } from './tools.ts';

describe('openapi-python-client', function () {
  this.timeout(600_000);
  const work = freshFolder();
  needs('python3');

  it('makes a Python client that tells the story', async () => {
    const python = await pythonPackages('openapi-python-client-0.29.1', [
      'openapi-python-client==0.29.1',
      'httpx==0.28.1',
      'attrs==26.1.0',
      'python-dateutil==2.9.0.post0',
    ]);
    const folder = work();
    await writeFile(join(folder, 'configuration.yaml'), 'package_name_override: petstore_client\npost_hooks: []\n');
    const options = ['--path', DOCUMENT, '--config', 'configuration.yaml', '--output-path', 'generated'];
    const printed = await run(python, ['-m', 'openapi_python_client', 'generate', ...options], folder);
    expect(printed).to.not.match(/warning|unsupported|skip/i);

    await run(python, ['-W', 'error', '-m', 'compileall', '-q', 'generated'], folder);

    const environment = { PYTHONPATH: join(folder, 'generated') };
    await tellsTheStory((url) => run(python, [story('openapi_python_client.py'), url], folder, environment));
  });
});
