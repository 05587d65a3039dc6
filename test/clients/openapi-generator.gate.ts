import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';
import { classicDocument, tellsTheClassicStory } from './classic-story.ts';
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

  async function generate(document: string, name: string, ...options: readonly string[]): Promise<string> {
    const folder = work();
    await generator('generate', '--input-spec', document, '--generator-name', name, '--output', folder, ...options);
    return folder;
  }

  it('validates the document without warnings', async () => {
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

    /** A client of a document. Returns what runs a program that uses it. */
    async function clientOf(document: string, name: string): Promise<(file: string, url: string) => Promise<string>> {
      const python = await pythonPackages('python-client-pydantic-2.14.3', [
        'pydantic==2.14.3',
        'python-dateutil==2.9.0.post0',
        'typing-extensions==4.16.0',
        'urllib3==2.8.0',
      ]);
      const folder = await generate(document, 'python', '--package-name', name);
      await run(python, ['-W', 'error', '-m', 'compileall', '-q', name], folder);
      return (file, url) => run(python, [story(file), url], folder, { PYTHONPATH: folder });
    }

    it('makes a client that tells the story', async () => {
      const program = await clientOf(DOCUMENT, 'petstore_client');

      await tellsTheStory((url) => program('openapi_generator.py', url));
    });

    for (const version of ['v2', 'v3'] as const) {
      it(`makes a client of the classic petstore, ${version}, that tells the classic story`, async () => {
        const program = await clientOf(await classicDocument(version, work()), 'classic_client');

        await tellsTheClassicStory(version, (url) => program('classic_openapi_generator.py', url));
      });
    }
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
    const folder = await generate(DOCUMENT, 'java', '--library', 'native', ...packages);
    await copyFile(story('Story.java'), join(folder, 'src/main/java/Story.java'));

    const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'];
    await run('mvn', ['--batch-mode', '--quiet', ...goals], folder);

    const classpath = ['target/classes', await readFile(join(folder, 'classpath.txt'), 'utf8')].join(delimiter);
    await tellsTheStory((url) => run('java', ['-cp', classpath, 'Story', url], folder));
  });
});
