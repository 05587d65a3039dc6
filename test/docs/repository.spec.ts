import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { manifest } from '../package/entry-points.ts';
import { coded, pageText, rowsOf } from './pages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { engines, scripts } = manifest() as unknown as {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
};

/** The oldest Node that the package runs on. */
const oldest = engines.node.replace('>=', '');

interface Job {
  readonly 'runs-on': string;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[]; readonly node: readonly string[] } };
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: Record<string, string> }[];
}

const files = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    `${folder}/${name}`.replaceAll('\\', '/'),
  );

describe('The workflow', () => {
  const { jobs } = parse(pageText('.github/workflows/ci.yml'), { strict: true }) as { jobs: Record<string, Job> };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

  it('runs everything on Linux, and the tests on macOS and Windows and on three versions of Node', () => {
    const { complete, tests } = jobs;

    expect(complete).to.deep.include({ 'runs-on': 'ubuntu-latest' });
    expect(complete?.steps.map(({ run }) => run)).to.include('.ci/run');
    expect(tests?.strategy?.matrix.os).to.include.members(['macos-latest', 'windows-latest']);
    expect(tests?.strategy?.matrix.node).to.deep.equal([oldest, '24', '26']);
    expect(tests?.steps.map(({ run }) => run)).to.include('npm test');
  });

  it('runs the tests on the oldest PostgreSQL, by the variable that they read', () => {
    const job = jobs['postgresql-14'];

    const [variable = ''] = Object.keys(job?.env ?? {});
    expect(pageText('test/support/postgres-server.ts')).to.include(`process.env['${variable}']`);
    expect(pageText('src/adapters/mikro-orm/postgresql/database-inspection.ts')).to.include('PostgreSQL 14');
    expect(job?.steps.some(({ run }) => run?.includes(' postgres:14 '))).to.equal(true);
    expect(job?.steps.map(({ run }) => run)).to.include('npm test');
  });

  it('names only commands that exist', () => {
    const known = /^(?:npm ci|npm test|docker|timeout|\.ci\/run$|npm run )/;
    expect(commands.filter((command) => !known.test(command))).to.deep.equal([]);
    accessSync(join(ROOT, '.ci/run'), constants.X_OK);
    const named = [...commands, pageText('.ci/run')].flatMap((text) =>
      Array.from(text.matchAll(/^npm (?:run (?:--silent )?)?([\w:]+)/gm), ([, name = '']) => name),
    );
    expect(named).to.include.members(['ci', 'test', 'e2e']);
    for (const name of named.filter((script) => script !== 'ci')) expect(scripts, name).to.have.property(name);
  });
});

describe('The pages and forms in .github', () => {
  it('link only to what exists', () => {
    for (const page of files('.github').filter((name) => name.endsWith('.md'))) {
      const links = Array.from(pageText(page).matchAll(/\]\(([^)\s#]+)/g), ([, target = '']) => target);
      expect(links).to.have.length.above(0);
      for (const link of links) expect(existsSync(join(ROOT, dirname(page), link)), link).to.equal(true);
    }
  });

  it('are forms with a name, a description and fields of which each has an id of its own', () => {
    const forms = files('.github/ISSUE_TEMPLATE').filter((name) => !name.endsWith('config.yml'));

    expect(forms).to.have.length.above(1);
    for (const form of forms) {
      const { name, description, body } = parse(pageText(form), { strict: true }) as {
        name: string;
        description: string;
        body: readonly { type: string; id?: string }[];
      };
      const ids = body.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
      expect([name, description], form).to.satisfy((texts: unknown[]) =>
        texts.every((text) => typeof text === 'string'),
      );
      expect(ids, form).to.not.include(undefined);
      expect(new Set(ids).size, form).to.equal(ids.length);
    }
  });

  it('have updates of dependencies in groups of packages that exist', () => {
    const { packageRules } = JSON.parse(pageText('.github/renovate.json')) as {
      packageRules: readonly { matchPackageNames: readonly string[] }[];
    };
    const lock = JSON.parse(pageText('package-lock.json')) as { packages: object };
    const installed = Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''));
    const known = [...installed, 'node', 'postgres'];

    for (const pattern of packageRules.flatMap(({ matchPackageNames }) => matchPackageNames)) {
      const found = known.some(
        (name) => name === pattern || name.startsWith(pattern.replace('**', '\0').split('\0')[0] ?? ''),
      );
      expect(found, pattern).to.equal(true);
    }
  });
});

describe('The map of the tests', () => {
  const page = pageText('test/README.md');

  it('has every folder, and no other', () => {
    const folders = (path: string) =>
      readdirSync(join(ROOT, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
        .map(({ name }) => `${path}/${name}`.replace('test/', ''));
    const columns = ['folder', 'what it tests'];
    const named = [...rowsOf(page, ...columns, 'needs'), ...rowsOf(page, ...columns)].map(([folder = '']) => folder);

    expect(named.flatMap(coded)).to.have.members([...folders('test'), ...folders('test/http')]);
  });

  it('links only to what exists, and is linked from the page for contributors', () => {
    const links = Array.from(page.matchAll(/\]\(([^)\s#]+)/g), ([, target = '']) => target);

    expect(links).to.include('../docs/contributing.md');
    for (const link of links) expect(existsSync(join(ROOT, 'test', link)), link).to.equal(true);
    expect(coded(pageText('docs/contributing.md'))).to.include('test/README.md');
  });

  it('names only commands that exist, like the page for contributors', () => {
    const texts = [page, pageText('docs/contributing.md')].flatMap(coded);
    const named = texts.flatMap((text) => /^npm run ([\w:]+)/.exec(text)?.[1] ?? []);

    expect(named).to.include.members(['test:watch', 'e2e', 'bench']);
    for (const name of named) expect(scripts, name).to.have.property(name);
  });
});

describe('The changelog', () => {
  const page = pageText('docs/changelog.md');

  it('has a section for what is unreleased, and one for every release with its date', () => {
    const sections = Array.from(page.matchAll(/^## (.+)$/gm), ([, title = '']) => title);

    expect(sections[0]).to.equal('Unreleased');
    for (const title of sections.slice(1)) expect(title).to.match(/^\d+\.\d+\.\d+ – \d{4}-\d{2}-\d{2}$/);
    const kinds = Array.from(page.matchAll(/^### (.+)$/gm), ([, title = '']) => title);
    expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).to.include.members(kinds);
  });

  it('names the version of the package', () => {
    expect(page).to.include(manifest()['version']);
  });
});

describe('The version of Node', () => {
  const ours = pageText('.node-version').trim();

  it('is the same in .node-version and in the packages that npm ci installs', () => {
    const { optionalDependencies } = JSON.parse(pageText('test/node/package.json')) as {
      optionalDependencies: Readonly<Record<string, string>>;
    };

    expect(new Set(Object.values(optionalDependencies))).to.deep.equal(new Set([ours]));
  });

  it('satisfies engines', () => {
    const [[major = 0, minor = 0] = [], [leastMajor = 0, leastMinor = 0] = []] = [ours, oldest].map((version) =>
      version.split('.').map(Number),
    );

    expect(major > leastMajor || (major === leastMajor && minor >= leastMinor)).to.equal(true);
  });
});

describe('A decision record', () => {
  const records = files('docs/adr');

  for (const record of records) {
    it(`has its number, a date, a status and its cost: ${record}`, () => {
      const [title = '', blank, dated = ''] = pageText(record).split('\n');

      expect(title).to.match(new RegExp(`^# ${record.slice('docs/adr/'.length, 'docs/adr/0000'.length)}: \\S`));
      expect(blank).to.equal('');
      expect(dated).to.match(/^Date: \d{4}-\d{2}-\d{2}\. Status: (?:proposed|accepted|replaced|withdrawn)\b.*\.$/);
      for (const part of ['**Context.**', '**Decision.**', '**Cost.**']) expect(pageText(record)).to.include(part);
    });
  }

  it('is listed in the index, under its title', () => {
    const index = pageText('docs/README.md');
    const titles = records.map((record) => pageText(record).split('\n')[0]?.slice('# '.length));

    for (const [i, record] of records.entries()) {
      expect(index).to.include(`- [${titles[i]}](${record.slice('docs/'.length)})`);
    }
    expect(records.map((record) => Number(record.slice('docs/adr/'.length, 'docs/adr/0000'.length)))).to.deep.equal(
      records.map((_, i) => i + 1),
    );
  });
});
