import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
import { tellsTheStory } from './story.ts';
import { compile, DOCUMENT, installed, needs, npmPackages, pythonPackages, run, story } from './tools.ts';

const VERSION = '7.25.0';
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

describe('openapi-generator', function () {
  this.timeout(600_000);
  const work = freshFolder();
  needs('java', 'mvn');

  async function generator(...words: readonly string[]): Promise<string> {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`;
    const folder = await installed(`openapi-generator-${VERSION}`, (place) =>
      run('mvn', ['--batch-mode', '--quiet', COPY, artifact, `-DoutputDirectory=${place}`], place),
    );
    return run('java', ['-jar', join(folder, `openapi-generator-cli-${VERSION}.jar`), ...words], folder);
  }

  async function generate(name: string, ...options: readonly string[]): Promise<string> {
    const folder = work();
    await generator('generate', '--input-spec', DOCUMENT, '--generator-name', name, '--output', folder, ...options);
    return folder;
  }

  it('validates the document without a complaint', async () => {
    expect(await generator('validate', '--recommend', '--input-spec', DOCUMENT)).to.include(
      'No validation issues detected',
    );
  });

  it('makes a TypeScript client (typescript-fetch) that tells the story', async () => {
    const tools = await npmPackages('typescript-5.9.3', ['typescript@5.9.3', '@types/node@24.19.2']);
    const folder = work();
    const output = join(folder, 'generated');
    const options = ['--input-spec', DOCUMENT, '--output', output];
    await generator('generate', '--generator-name', 'typescript-fetch', ...options);
    await copyFile(story('typescript-fetch.ts'), join(folder, 'story.ts'));
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "commonjs" }\n');

    const types = { typeRoots: [join(tools, 'node_modules/@types')], types: ['node'] };
    const out = await compile(tools, folder, { module: 'commonjs', lib: ['es2022', 'dom'], ...types }, ['story.ts']);

    await tellsTheStory((url) => run(process.execPath, [join(out, 'story.js'), url], folder));
  });

  describe('for Python', () => {
    needs('python3');

    it('makes a client that tells the story', async () => {
      const python = await pythonPackages('python-client-pydantic-2.14.3', [
        'pydantic==2.14.3',
        'python-dateutil==2.9.0.post0',
        'typing-extensions==4.16.0',
        'urllib3==2.8.0',
      ]);
      const folder = await generate('python', '--package-name', 'petstore_client');

      await run(python, ['-W', 'error', '-m', 'compileall', '-q', 'petstore_client'], folder);

      const environment = { PYTHONPATH: folder };
      await tellsTheStory((url) => run(python, [story('openapi_generator.py'), url], folder, environment));
    });
  });

  it('makes a Java client (library native) that tells the story', async () => {
    const packages = [
      '--invoker-package',
      'petstore',
      '--api-package',
      'petstore.api',
      '--model-package',
      'petstore.model',
    ];
    const folder = await generate('java', '--library', 'native', ...packages);
    await copyFile(story('Story.java'), join(folder, 'src/main/java/Story.java'));

    const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'];
    await run('mvn', ['--batch-mode', '--quiet', ...goals], folder);

    const classpath = ['target/classes', await readFile(join(folder, 'classpath.txt'), 'utf8')].join(delimiter);
    await tellsTheStory((url) => run('java', ['-cp', classpath, 'Story', url], folder));
  });
});
