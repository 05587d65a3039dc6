import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { DEFAULT_LIMITS } from '../../src/adapters/http/settings.ts';
import { Auditor } from '../../src/application/auditor.ts';
import { createPetstore } from '../../src/composition/create-petstore.ts';
import { SETTINGS } from '../../src/composition/options.ts';
import { LIMIT_SETTINGS } from '../../src/composition/settings/limit-settings.ts';
import { freshFolder } from '../support/temporary.ts';
import { coded, pageText, rowsOf } from './pages.ts';

const page = pageText('docs/operating.md');

/** A value as an environment variable says it. */
function asText(name: string, value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  if (name.startsWith('getPet')) return `\`${new Date(Number(value)).toISOString().replace('.000', '')}\``;
  const text = Array.isArray(value) ? value.join() : `${value as string | number}`;
  return text === '' ? (Array.isArray(value) ? 'none' : 'empty') : `\`${text}\``;
}

describe('The page about operating', () => {
  it('has every setting with its default and bounds', () => {
    const settings = Object.entries(SETTINGS).map(([name, { variable, default: value, expects, about }]) => [
      `\`${variable}\``,
      asText(name, value),
      expects,
      about,
    ]);

    expect(rowsOf(page, 'variable', 'default', 'allowed values', 'meaning')).to.deep.equal(settings);
  });

  it('has every limit with its default and bounds', () => {
    const limits = Object.entries(LIMIT_SETTINGS).map(([name, { variable, about, min, max }]) => [
      `\`${variable}\``,
      `\`${DEFAULT_LIMITS[name as keyof typeof DEFAULT_LIMITS]}\``,
      String(min),
      String(max),
      about,
    ]);

    expect(rowsOf(page, 'variable', 'default', 'from', 'to', 'meaning')).to.deep.equal(limits);
  });

  it('names no variable that does not exist', () => {
    const known = [...Object.values(SETTINGS), ...Object.values(LIMIT_SETTINGS)].map(({ variable }) => variable);
    const named = coded(['README.md', 'docs/operating.md', 'docs/http.md'].map(pageText).join('\n')).flatMap(
      (code) => code.match(/\bPETSTORE_[A-Z_]+\b/g) ?? [],
    );

    expect(named).to.have.length.above(known.length);
    expect(known).to.include.members(named);
  });

  const folder = freshFolder();

  it('has every metric, and shows how to back up an open store', async () => {
    const file = join(folder(), 'petstore.db');
    const copy = join(folder(), 'backup.db');
    const petstore = await createPetstore({ port: 0, databaseUrl: `sqlite:${file}`, logLevel: 'silent' });
    try {
      const exposition = await (await fetch(`${petstore.url}/metrics`)).text();
      const metrics = Array.from(exposition.matchAll(/^# TYPE (\w+)/gm), ([, name = '']) => `\`${name}\``);
      expect(rowsOf(page, 'metric', 'labels', 'meaning').map(([name]) => name)).to.deep.equal(metrics);

      const command = /sqlite3 data\/petstore\.db "(.*)"/.exec(page)?.[1] ?? expect.fail('there is no command');
      const shell = new Database(file);
      shell.exec(command.replace('backup.db', copy));
      shell.close();
    } finally {
      await petstore.close();
    }

    const restored = await createPetstore({ port: 0, databaseUrl: `sqlite:${copy}`, logLevel: 'silent' });
    try {
      expect(await restored.container.get(Auditor).audit()).to.deep.equal({ pets: 100, findings: [] });
    } finally {
      await restored.close();
    }
  });
});
