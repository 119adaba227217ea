/**
 * Closes connections on which PostgreSQL has stopped answering. PostgreSQL limits the time of its own statements, but
 * if the network drops all packets, that limit is never reported: without a limit on this side, a call would wait
 * until TCP gives up, after a quarter of an hour. A closed connection is never used again.
 *
 * The watch looks at all connections of a pool from time to time, instead of starting a timer for every statement,
 * which would slow down every call. It depends on the internals of `pg.Client`; its test fails if another version of
 * `pg` works differently.
 */
import type pg from 'pg';
import { Unavailable } from './unavailable.ts';

export interface AnswerLimits {
  /** Milliseconds within which PostgreSQL must answer a statement. */
  readonly answerMs: number;
  /** Milliseconds from the begin of a transaction within which PostgreSQL must answer its last statement. */
  readonly transactionMs: number;
}

/** Members of `pg.Client` that its published types leave out. */
interface Inside {
  readonly _activeQuery: object | null | undefined;
  readonly _ending: boolean;
  readonly connection: { readonly stream: { destroy(error?: Error): void } };
}

/** What was seen of a connection. Times are numbers of looks, so that time in which this process is paused does not count. */
interface Sight {
  query: object | null;
  /** When `query` was first seen. */
  querySince: number;
  transactionSince: number | null;
  endingSince: number | null;
}

const LOOK_MS = 1_000;
/** How long a connection that we close may take to say goodbye. */
const GOODBYE_MS = 2_000;

const inside = (client: pg.ClientBase): Inside => client as unknown as Inside;

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10} s`;

export class ConnectionWatch {
  readonly #limits: AnswerLimits;
  readonly #everyMs: number;
  readonly #sights = new Map<pg.ClientBase, Sight>();
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
    this.#everyMs = Math.min(LOOK_MS, limits.answerMs / 4);
  }

  /** Watches the connection until it is closed. */
  add(client: pg.ClientBase): void {
    this.#sights.set(client, { query: null, querySince: 0, transactionSince: null, endingSince: null });
    client.once('end', () => this.#forget(client));
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref();
  }

  #forget(client: pg.ClientBase): void {
    this.#sights.delete(client);
    if (this.#sights.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    this.#looks++;
    let isSilent = false;
    for (const [client, sight] of this.#sights) {
      this.#note(client, sight);
      if (this.#isOver(sight.endingSince, GOODBYE_MS)) close(client);
      if (sight.endingSince !== null || sight.query === null) continue;
      const { answerMs, transactionMs } = this.#limits;
      if (this.#isOver(sight.querySince, answerMs)) {
        isSilent = true;
        close(client, `PostgreSQL did not answer within ${seconds(answerMs)}.`);
      } else if (this.#isOver(sight.transactionSince, transactionMs)) {
        close(client, `A transaction did not end within ${seconds(transactionMs)}.`);
      }
    }
    if (isSilent) this.#closeIdle();
  }

  #note(client: pg.ClientBase, sight: Sight): void {
    const { _activeQuery, _ending } = inside(client);
    const query = _activeQuery ?? null;
    if (query !== sight.query) sight.querySince = this.#looks;
    sight.query = query;
    const isOpen = client.getTransactionStatus() !== 'I';
    sight.transactionSince = isOpen ? (sight.transactionSince ?? this.#looks) : null;
    if (_ending) sight.endingSince ??= this.#looks;
  }

  #isOver(since: number | null, milliseconds: number): boolean {
    return since !== null && (this.#looks - since) * this.#everyMs >= milliseconds;
  }

  /** A network that swallows one statement swallows the next ones too, so idle connections are not worth a try. */
  #closeIdle(): void {
    for (const [client, { query, transactionSince }] of this.#sights)
      if (query === null && transactionSince === null) close(client, 'Another connection got no answer.');
  }
}

function close(client: pg.ClientBase, reason?: string): void {
  inside(client).connection.stream.destroy(reason === undefined ? undefined : new Unavailable(reason));
}

/** Closes a connection, also if the other side does not answer any more. */
export async function endConnection(client: pg.Client): Promise<void> {
  const timer = setTimeout(close, GOODBYE_MS, client);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}
