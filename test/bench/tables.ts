import { type Comparison, guardedByOpen, serviceByFloor, verdictOf } from './comparison.ts';
import type { Figures } from './load.ts';
import { busyCores, type DeepPage, type Measured, percent, type Row, whole } from './report.ts';

/** A head and its rows, as text. */
export type Table = readonly (readonly string[])[];

/** What is shown of one shop: tables, and above some of them a title. */
export function tablesOf(measured: Measured): { readonly title?: string; readonly table: Table }[] {
  const tables = [
    { table: tableOf(serviceByFloor(measured), 'service', 'floor') },
    { table: tableOfPages(measured.deepPage) },
    { title: 'With credentials and limits', table: tableOf(guardedByOpen(measured), 'open', 'guarded') },
    { title: 'Several processes on one database', table: tableOfCrews(measured.crews) },
  ];
  return tables.filter(({ table }) => table.length > 1);
}

function tableOf(comparisons: readonly Comparison[], service: string, rival: string): Table {
  const hasDatabase = comparisons.some(({ sides }) => sides.some(databaseIsKnown));
  return [
    [
      '',
      'conn.',
      `${service} /s`,
      `${rival} /s`,
      'ratio',
      'aim',
      '',
      'p50 ms',
      'p99 ms',
      `${rival} p50`,
      `${rival} p99`,
      'CPU µs',
      `${rival} CPU`,
      ...(hasDatabase ? ['PG CPU', `${rival} PG`] : []),
      'load',
    ],
    ...comparisons.map((comparison) => {
      const { work, connections, sides, ratio, aim } = comparison;
      return [
        work,
        String(connections),
        ...sides.map(({ perSecond }) => whole(perSecond)),
        ratio.toFixed(2),
        aim?.toFixed(1) ?? '',
        verdictOf(comparison),
        ...sides.flatMap(({ p50, p99 }) => [p50.toFixed(2), p99.toFixed(2)]),
        ...sides.map(({ cpu }) => whole(cpu)),
        ...(hasDatabase ? sides.map(({ database }) => whole(database)) : []),
        percent(Math.max(...sides.map(({ generator }) => generator))),
      ];
    }),
  ];
}

function tableOfPages(deepPage: DeepPage | undefined): Table {
  const pages = deepPage
    ? ([
        [1, deepPage.first],
        [deepPage.number, deepPage.deep],
      ] as const)
    : [];
  return [
    ['page', 'service /s', 'p50 ms', 'p99 ms', 'CPU µs'],
    ...pages.map(([page, { perSecond, p50, p99, cpu }]) => [
      whole(page),
      whole(perSecond),
      p50.toFixed(2),
      p99.toFixed(2),
      whole(cpu),
    ]),
  ];
}

/** How many requests more processes answer in all. */
function tableOfCrews(rows: readonly Row<number>[]): Table {
  const by = ({ perSecond }: Figures, one: Figures | undefined) => (one ? (perSecond / one.perSecond).toFixed(2) : '');
  return [
    ['', 'processes', 'total /s', 'speed-up', 'p50 ms', 'p99 ms', 'CPU µs', 'PG CPU', 'load', 'cores busy'],
    ...rows.flatMap(({ work, figures }) =>
      Array.from(figures, ([processes, each]) => [
        work,
        String(processes),
        whole(each.perSecond),
        by(each, figures.get(1)),
        each.p50.toFixed(2),
        each.p99.toFixed(2),
        whole(each.cpu),
        whole(each.database),
        percent(each.generator),
        busyCores(each).toFixed(1),
      ]),
    ),
  ];
}

function databaseIsKnown({ database }: Figures): boolean {
  return !Number.isNaN(database);
}

/** For a terminal: the first column to the left, figures to the right. */
export function aligned(table: Table): string {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n');
}

export function markdown([head = [], ...rows]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map((_, i) => (i === 0 ? '---|' : '--:|')).join('')}`, ...rows.map(line)].join('\n');
}
