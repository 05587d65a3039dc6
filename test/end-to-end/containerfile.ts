import { readFileSync } from 'node:fs';

/*
 * Reads the instructions that the service's own Containerfile uses. An unknown instruction is an error, so that none is untested.
 */

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

const KNOWN = ['ARG', 'FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'CMD'];

export function stagesOf(file: string | URL): Stage[] {
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  const args = new Map<string, string>();
  for (const { name, text } of instructionsIn(readFileSync(file, 'utf8'))) {
    const stage = stages.at(-1);
    if (name === 'ARG') {
      const [key = '', value = ''] = text.split('=');
      args.set(key, value);
    } else if (name === 'FROM') {
      const [, base = '', , alias] = /^(\S+)( AS (\w+))?$/i.exec(text) ?? [];
      stages.push({
        base: base.replace(/^\$\{(\w+)\}$/, (_, key: string) => args.get(key) ?? ''),
        name: alias,
        instructions: [],
      });
    } else if (stage) stage.instructions.push({ name, text });
    else throw new Error(`${name} stands before FROM.`);
  }
  return stages;
}

function* instructionsIn(text: string): Generator<Instruction> {
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n');
  for (const line of lines.map((each) => each.trim()).filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (!KNOWN.includes(name)) throw new Error(`Not known: ${line}`);
    yield { name, text: rest };
  }
}

/** The words of an instruction in the form of a JSON array. */
export function execForm(text: string): string[] {
  return JSON.parse(text) as string[];
}

/** The options of a COPY or a HEALTHCHECK, and what follows them. */
export function optionsOf(text: string): { options: Readonly<Record<string, string>>; rest: string } {
  const options: Record<string, string> = {};
  let rest = text;
  for (let match = OPTION.exec(rest); match; match = OPTION.exec(rest)) {
    options[match[1] ?? ''] = match[2] ?? '';
    rest = rest.slice(match[0].length);
  }
  return { options, rest };
}

const OPTION = /^--([\w-]+)=(\S+) +/;
