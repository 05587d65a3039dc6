import { p } from '@mikro-orm/core';
import { SUMMARY_TRIGGERS } from './postgresql/2026-11-22-maintain-the-summary.ts';

interface ForeignKeyIndex<Property extends string> {
  readonly name: string;
  readonly properties: (Property | 'id')[];
}

interface Trigger {
  readonly name: string;
  readonly timing: 'after';
  readonly events: ('insert' | 'update' | 'delete')[];
  readonly when?: string;
  readonly body?: string;
  readonly expression?: string;
}

/** How the tables are written for SQLite. */
export const onSqlite = {
  number: () => p.integer(),
  flag: () => p.integer().$type<0 | 1>(),
  key: <Text extends string = string>() => p.text().$type<Text>(),
  /** MikroORM adds an index for every foreign key, such as `pets_category_id_index`. SQLite appends the identifier to it. */
  indexesForeignKeys: true,
  foreignKeyIndex: <Property extends string>(_name: string, _property: Property): ForeignKeyIndex<Property>[] => [],
  between: (column: string, least: string, most: string) => `${column} between ${least} and ${most}`,
  // MikroORM reads the checks back from the text of the table, which it splits at every comma before a space.
  isOneOf: (column: string, texts: readonly string[]) => `${column} in (${texts.map((text) => `'${text}'`).join(',')})`,
  isNotEmpty: (column: string) => `${column} <> ''`,
  isJsonArray: (column: string) => `json_valid(${column}) and json_type(${column}) = 'array'`,
  /** Maintain `stock_summary`. */
  petTriggers: [
    { name: 'pets_counted', timing: 'after', events: ['insert'], body: changeOfSummary('+', 'new') },
    { name: 'pets_discounted', timing: 'after', events: ['delete'], body: changeOfSummary('-', 'old') },
    {
      name: 'pets_recounted',
      timing: 'after',
      events: ['update'],
      when: 'old.quantity <> new.quantity or old.status <> new.status',
      body: `${changeOfSummary('-', 'old')}; ${changeOfSummary('+', 'new')}`,
    },
  ] as Trigger[],
  statusOfStock:
    "case when quantity = 0 then 'sold' when held or quantity = reserved then 'pending' else 'available' end",
};

/** How the tables are written for PostgreSQL. */
export const onPostgresql: typeof onSqlite = {
  number: () => p.bigint('number'),
  flag: () => p.smallint().$type<0 | 1>(),
  key: (() => p.text().collation('C')) as unknown as typeof onSqlite.key,
  indexesForeignKeys: false,
  foreignKeyIndex: (name, property) => [{ name, properties: [property, 'id'] }],
  between: (column, least, most) => `${column} >= ${least} and ${column} <= ${most}`,
  isOneOf: (column, texts) => `${column} = any (array[${texts.map((text) => `'${text}'::text`).join(', ')}])`,
  isNotEmpty: (column) => `${column} <> ''::text`,
  isJsonArray: (column) => `jsonb_typeof(${column}::jsonb) = 'array'::text`,
  // MikroORM has no words for tables of changed rows, and compares only the names of these.
  petTriggers: [
    { name: 'pets_counted', timing: 'after', events: ['insert'], expression: SUMMARY_TRIGGERS.pets_counted },
    { name: 'pets_discounted', timing: 'after', events: ['delete'], expression: SUMMARY_TRIGGERS.pets_discounted },
    { name: 'pets_recounted', timing: 'after', events: ['update'], expression: SUMMARY_TRIGGERS.pets_recounted },
  ],
  statusOfStock:
    "case when quantity = 0 then 'sold'::text when held = 1 or quantity = reserved then 'pending'::text else 'available'::text end",
};

function changeOfSummary(sign: '+' | '-', row: 'old' | 'new'): string {
  return `update stock_summary set pets = pets ${sign} 1, units = units ${sign} ${row}.quantity where status = ${row}.status`;
}
