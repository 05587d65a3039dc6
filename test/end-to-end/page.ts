import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** One instruction of a page: write a file, or type lines into a shell and compare the output. */
export interface Step {
  /** `js` or `ts` for a listing, `sh` for lines to type. */
  readonly language: string;
  /** The name of the file, or what is special about the lines. */
  readonly title: string;
  readonly text: string;
  /** What the page says is printed. */
  readonly prints?: string;
}

const BLOCK = /^```(sh|js|ts|text)[ \t]*(\S*)\n(.*?)^```$/gms;

/** What a page says, in its order; listings without a name are not for files. */
export function stepsOf(page: string): Step[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const steps: Step[] = [];
  for (const [, language = '', title = '', body = ''] of text.matchAll(BLOCK)) {
    const last = steps.at(-1);
    if (language === 'text' && last) steps[steps.length - 1] = { ...last, prints: body.trim() };
    else if (language === 'sh' || title !== '') steps.push({ language, title, text: body });
  }
  return steps;
}

/** Executes the steps of a page in a folder, in one shell. Returns the output of each. */
export async function follow(steps: readonly Step[], folder: string, environment: object): Promise<string[]> {
  const outputs: string[] = [];
  let place = folder;
  // What one step exports, the next ones have.
  let exported = { ...process.env, ...environment };
  for (const { language, title, text } of steps) {
    if (language !== 'sh') {
      await writeFile(join(place, title), text);
      outputs.push('');
      continue;
    }
    // The place where the lines end is where the next ones begin.
    const script = `${title === 'fails' ? '' : 'set -e\n'}${text}\npwd > "${join(folder, '.place')}"\nenv -0 > "${join(folder, '.env')}"\n`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
      cwd: place,
      env: exported,
      maxBuffer: 16 * 1024 * 1024,
    });
    outputs.push(stdout + stderr);
    place = readFileSync(join(folder, '.place'), 'utf8').trim();
    const variables = readFileSync(join(folder, '.env'), 'utf8').split('\0').filter(Boolean);
    exported = Object.fromEntries(variables.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  }
  return outputs;
}
