import { readFileSync } from 'node:fs';

/** A page of the documentation, by its path from the top of the project. */
export function pageText(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** The rows of every table whose header is exactly these columns, as the texts of their cells. */
export function rowsOf(page: string, ...columns: readonly string[]): string[][] {
  const lines = page.split('\n').map((line) => line.trim());
  const rows: string[][] = [];
  lines.forEach((line, i) => {
    if (line !== `| ${columns.join(' | ')} |`) return;
    for (const row of lines.slice(i + 2)) {
      if (!row.startsWith('|')) break;
      rows.push(
        row
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    }
  });
  return rows;
}

/** What stands in code marks. */
export function coded(text: string): string[] {
  return Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
}
