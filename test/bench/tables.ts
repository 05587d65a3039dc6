import { type Comparison, comparisonsOf } from './comparison.ts';
import type { Figures } from './load.ts';
import { busyCores, type DeepPage, type Measured, median, percent, type Row, spreadOf, whole } from './report.ts';

/** A head and its rows, as text. */
export type Table = readonly (readonly string[])[];

/** The titled tables of a report; a table without rows is left out. */
export function tablesOf(measured: Measured): { readonly title: string; readonly table: Table }[] {
  const { rows, deepPage, crews } = measured;
  return [
    { title: 'Targets', table: tableOfTargets(comparisonsOf(measured)) },
    {
      title: 'Requests per second',
      table: tableOf(rows, withSpread('perSecond'), {
        head: 'load',
        cell: ({ figures }) => percent(Math.max(...[...figures.values()].map(({ generator }) => generator))),
      }),
    },
    { title: 'CPU time of the server per request, in µs', table: tableOf(rows, withSpread('cpu')) },
    { title: 'CPU time of PostgreSQL per request, in µs', table: tableOf(rows, withSpread('database')) },
    {
      title: 'Latency in ms, median and 99th percentile',
      table: tableOf(rows, (rounds) => {
        const of = (figure: 'p50' | 'p99') => median(rounds.map((round) => round[figure])).toFixed(2);
        return `${of('p50')} · ${of('p99')}`;
      }),
    },
    { title: 'The first page of a long list and one near its end', table: tableOfPages(deepPage) },
    { title: 'Several processes on one database', table: tableOfCrews(crews) },
  ].filter(({ table }) => table.length > 1);
}

function tableOfTargets(comparisons: readonly Comparison[]): Table {
  return [
    ['', 'conn.', 'ratio', 'of', 'median', 'quartiles', 'target', ''],
    ...comparisons.map(({ first, second, figure, work, connections, ratio, limit, met }) => [
      work,
      String(connections),
      `${first} / ${second}`,
      figure === 'cpu' ? 'CPU' : 'requests per second',
      ratio.median.toFixed(2),
      `${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`,
      `${figure === 'cpu' ? '≤' : '≥'} ${limit}`,
      met ? 'met' : 'missed',
    ]),
  ];
}

/** A column for each contestant. Rows without a figure are left out. */
function tableOf(
  rows: readonly Row[],
  cellOf: (rounds: readonly Figures[]) => string,
  last?: { readonly head: string; readonly cell: (row: Row) => string },
): Table {
  const names = [...(rows[0]?.figures.keys() ?? [])];
  const cells = rows.map((row) => [
    row.work,
    String(row.connections),
    ...names.map((name) => cellOf(row.rounds.get(name) ?? [])),
    ...(last ? [last.cell(row)] : []),
  ]);
  return [
    ['', 'conn.', ...names, ...(last ? [last.head] : [])],
    ...cells.filter((line) => line.slice(2).some((cell) => cell !== '')),
  ];
}

/** The median, and half of the distance between the quartiles. */
function withSpread(figure: 'perSecond' | 'cpu' | 'database'): (rounds: readonly Figures[]) => string {
  return (rounds) => {
    const { median: middle, low, high } = spreadOf(rounds.map((round) => round[figure]));
    if (Number.isNaN(middle)) return '';
    const text = middle < 1000 ? middle.toFixed(1) : whole(middle);
    return `${text} ± ${percent((high - low) / 2 / middle)}`;
  };
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
      cpu.toFixed(1),
    ]),
  ];
}

/** The throughput of several processes together. */
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
