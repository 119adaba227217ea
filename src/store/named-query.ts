/**
 * A named statement that `pg` sends as usual, except that each connection requests the description of its
 * columns only once. PostgreSQL refuses to run a named statement whose columns have changed, so the cached
 * description cannot be wrong. This class depends on the internals of `pg.Query`; its test fails if another
 * version of `pg` works differently.
 */
import pg from 'pg';

export interface Statement {
  readonly name: string;
  /** The name of a statement that this one replaces: PostgreSQL drops that one first. */
  readonly replaces?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Receives the rows of a statement that is sent ahead of another one. */
  readonly reader?: Reader;
}

interface Reader {
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

export type Callback = (error: Error | null, result: pg.QueryResult) => void;
type Parse = (text: string) => unknown;

/** The column names of a statement, and the parser that turns the text of each column into a value. */
export interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly Parse[];
}

interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** The texts of the statements that PostgreSQL has, by name. */
  readonly parsedStatements: Record<string, string>;
  /** Those of which it has not said yet that it has them. */
  readonly submittedNamedStatements: Record<string, string>;
  close(message: { type: 'S'; name: string }): void;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly unknown[]; valueMapper: unknown }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
  readonly format: string;
}

/** Members of `pg.Query` that its published types leave out. */
interface Inside {
  name: string;
  readonly _result: {
    readonly rows: unknown[];
    readonly _parsers?: readonly Parse[];
    readonly _types: { getTypeParser(type: number, format: string): Parse };
  };
  _canceledDueToError: unknown;
  prepare(wire: Wire): void;
  handleError(error: unknown, wire: Wire): void;
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleReadyForQuery(wire: Wire): void;
}

const NO_ROWS: Shape = { names: [], parsers: [] };

const Query = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
  callback: Callback,
) => Inside;
const { prepareValue } = (pg as unknown as { utils: { prepareValue: unknown } }).utils;

const isParsed = ({ parsedStatements, submittedNamedStatements }: Wire, name: string): boolean =>
  parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined;

export class NamedQuery extends Query {
  readonly #statement: Statement;
  readonly #shapes: Map<string, Shape>;
  #shape: Shape | undefined;
  /** Statements that are sent before this one and not answered yet. PostgreSQL stops at the first that fails. */
  readonly #ahead: Statement[];
  /** Rows of the first of them. */
  #rowsAhead: unknown[] = [];
  #hasFailed = false;

  constructor(
    statement: Statement,
    shapes: Map<string, Shape>,
    callback: Callback,
    ahead: readonly Statement[] = [],
  ) {
    super(statement.text, statement.values, callback);
    this.name = statement.name;
    this.#statement = statement;
    this.#shapes = shapes;
    this.#ahead = [...ahead];
  }

  override prepare(wire: Wire): void {
    const { name, values, replaces } = this.#statement;
    this.#shape = this.#shapes.get(name);
    try {
      for (const each of this.#ahead) this.#sendAhead(wire, each);
      if (replaces !== undefined) this.#drop(wire, replaces);
      if (this.#shape !== undefined) wire.bind({ statement: name, values, valueMapper: prepareValue });
    } catch (error) {
      // A value could not be serialized, so the bind message was not sent.
      wire.sync();
      this.handleError(error, wire);
      return;
    }
    if (this.#shape === undefined) {
      if (!isParsed(wire, name)) wire.close({ type: 'S', name });
      super.prepare(wire);
      return;
    }
    wire.execute({});
    wire.sync();
  }

  #sendAhead(wire: Wire, { name, text, values, replaces, reader }: Statement): void {
    if (replaces !== undefined) this.#drop(wire, replaces);
    if (!isParsed(wire, name)) {
      wire.close({ type: 'S', name });
      wire.parse({ name, text });
    }
    wire.bind({ statement: name, values, valueMapper: prepareValue });
    if (reader !== undefined && !this.#shapes.has(name)) wire.describe({ type: 'P', name: '' });
    wire.execute({});
  }

  /** Queries are sent in the order in which they were named, so no query sent from now on uses the name. */
  #drop(wire: Wire, name: string): void {
    wire.close({ type: 'S', name });
    delete wire.parsedStatements[name];
    this.#shapes.delete(name);
  }

  /**
   * Whether PostgreSQL parsed a statement for the first time before the error is not known: the next use closes and
   * parses it again.
   */
  override handleError(error: unknown, wire: Wire): void {
    this.#hasFailed = true;
    for (const { reader } of this.#ahead) reader?.reject(error);
    if (this.#shape === undefined) delete wire.parsedStatements[this.#statement.name];
    super.handleError(error, wire);
  }

  /** Comes after an error only if a value could not be serialized. */
  override handleReadyForQuery(wire: Wire): void {
    if (this.#hasFailed) delete wire.parsedStatements[this.#statement.name];
    else super.handleReadyForQuery(wire);
  }

  override handleRowDescription(message: Parameters<Inside['handleRowDescription']>[0]): void {
    const [first] = this.#ahead;
    if (first !== undefined) {
      this.#shapes.set(first.name, this.#shapeOf(message.fields));
      return;
    }
    super.handleRowDescription(message);
    this.#shape = this.#shapeOf(message.fields);
    this.#shapes.set(this.#statement.name, this.#shape);
  }

  #shapeOf(fields: readonly Field[]): Shape {
    const types = this._result._types;
    return {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID, format }) => types.getTypeParser(dataTypeID, format)),
    };
  }

  override handleDataRow(message: Parameters<Inside['handleDataRow']>[0]): void {
    const [first] = this.#ahead;
    if (this._canceledDueToError || (first !== undefined && first.reader === undefined)) return;
    const shape = first === undefined ? this.#shape : this.#shapes.get(first.name);
    if (shape === undefined) return;
    const { names, parsers } = shape;
    const row: Record<string, unknown> = {};
    try {
      for (let index = 0; index < names.length; index++) {
        const text = message.fields[index];
        row[names[index] as string] = text == null ? null : parsers[index]?.(text);
      }
    } catch (error) {
      this._canceledDueToError = error;
      return;
    }
    (first === undefined ? this._result.rows : this.#rowsAhead).push(row);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    const done = this.#ahead.shift();
    if (done !== undefined) {
      wire.parsedStatements[done.name] = done.text;
      done.reader?.resolve(this.#rowsAhead);
      this.#rowsAhead = [];
      return;
    }
    super.handleCommandComplete(message, wire);
    if (this.#shape === undefined) this.#shapes.set(this.#statement.name, NO_ROWS);
  }
}
