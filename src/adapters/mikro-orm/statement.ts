import {
  AliasNode,
  ColumnNode,
  type Compilable,
  type CompiledQuery,
  type DeleteResult,
  IdentifierNode,
  type InsertResult,
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  ReferenceNode,
  SelectionNode,
  type UpdateResult,
} from 'kysely';
import type { Dialect, TextQuery } from './dialect.ts';
import type { PostgresqlTables, Tables } from './tables.ts';

/** A statement that returns rows. It takes values by name. */
export interface Query<Values, Row> {
  readonly write: Writing<Values, Row>;
  readonly '~returns'?: 'rows';
}

/** A statement that changes rows. It takes values by name. */
export interface Command<Values> {
  readonly write: Writing<Values, unknown>;
  readonly '~returns'?: 'count';
}

// biome-ignore lint/suspicious/noExplicitAny: a statement is type-checked against its tables where it is defined.
type Writing<Values, Output> = (db: Kysely<any>, values: Values, dialect: Dialect) => Compilable<Output>;

type Statement<Values, Output> = [Output] extends [InsertResult | UpdateResult | DeleteResult]
  ? Command<Values>
  : Query<Values, Output>;

export type AnyStatement = Query<never, unknown> | Command<never>;

/** Marks the place of a value that is known only when the statement runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Takes the place of the values while a statement is compiled: every name is a placeholder. */
const PLACEHOLDERS = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as never;

/** The text of a statement for one database, and the places of its values. */
export class CompiledStatement {
  readonly sql: string;
  readonly #parameters: readonly unknown[];

  constructor({ sql, parameters }: CompiledQuery) {
    this.sql = sql;
    this.#parameters = parameters;
  }

  /** The values in the order of the text. */
  parametersFor(values: object): unknown[] {
    const named = values as Readonly<Record<string, unknown>>;
    return this.#parameters.map((parameter) => (parameter instanceof Placeholder ? named[parameter.name] : parameter));
  }
}

/** The statements on a set of tables. They are compiled when a storage opens. */
class Statements<Database> {
  readonly #statements = new Set<AnyStatement>();

  /**
   * Defines a statement. `write` builds it with MikroORM's typed Kysely and uses `values` for the values that are known only
   * at run time. The type of `values` is the type of the statement's parameters. Rows have the names of the properties.
   */
  readonly define = <Output, Values = Record<never, never>>(
    write: (db: Kysely<Database>, values: Values, dialect: Dialect) => Compilable<Output>,
  ): Statement<Values, Output> => {
    const statement = { write } as Statement<Values, Output>;
    this.#statements.add(statement);
    return statement;
  };

  compile(db: Kysely<Database>, dialect: Dialect): [AnyStatement, CompiledStatement][] {
    const named = db.withPlugin(new PropertyNames());
    return Array.from(this.#statements, (statement) => [
      statement,
      new CompiledStatement(statement.write(named, PLACEHOLDERS, dialect).compile()),
    ]);
  }
}

const shared = new Statements<Tables>();
const onPostgresql = new Statements<PostgresqlTables>();

/** Defines a statement on the tables that both databases have. */
export const statement = shared.define;
/** Defines a statement on the tables of PostgreSQL. */
export const postgresqlStatement = onPostgresql.define;

/** The statements, compiled for one database. */
export class CompiledStatements {
  readonly #compiled: ReadonlyMap<AnyStatement, CompiledStatement>;

  private constructor(compiled: readonly [AnyStatement, CompiledStatement][]) {
    this.#compiled = new Map(compiled);
  }

  static forSqlite(db: Kysely<Tables>, dialect: Dialect): CompiledStatements {
    return new CompiledStatements(shared.compile(db, dialect));
  }

  static forPostgresql(db: Kysely<PostgresqlTables>, dialect: Dialect): CompiledStatements {
    // PostgreSQL has the shared tables too, one of them with more columns, which Kysely's type does not allow for.
    const sharedDb = db as unknown as Kysely<Tables>;
    return new CompiledStatements([...shared.compile(sharedDb, dialect), ...onPostgresql.compile(db, dialect)]);
  }

  /** Returns the text with its values. */
  bind<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): TextQuery<Row>;
  bind<Values extends object>(command: Command<Values>, values: NoInfer<Values>): TextQuery<never>;
  bind(statement: AnyStatement, values: object): TextQuery<never> {
    const compiled = this.of(statement);
    return { sql: compiled.sql, values: compiled.parametersFor(values) };
  }

  of(statement: AnyStatement): CompiledStatement {
    const compiled = this.#compiled.get(statement);
    if (!compiled) throw new Error('The statement was defined after the storage was opened, or for another database.');
    return compiled;
  }
}

/** Selects each column under the name of its property. MikroORM would rename rows after Kysely ran a query, which it does not here. */
class PropertyNames extends OperationNodeTransformer implements KyselyPlugin {
  transformQuery({ node }: PluginTransformQueryArgs) {
    return this.transformNode(node);
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }

  protected override transformSelection(node: SelectionNode): SelectionNode {
    const transformed = super.transformSelection(node);
    const { selection } = transformed;
    const column = ReferenceNode.is(selection) ? selection.column : selection;
    if (!ColumnNode.is(column)) return transformed;
    const name = propertyOf(column.column.name);
    if (name === column.column.name) return transformed;
    return SelectionNode.create(AliasNode.create(selection, IdentifierNode.create(name)));
  }
}

function propertyOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
