/** People with browsers: each loads the same pages again and again, as a browser that has nothing cached would. */
import { Agent, type ClientRequest, get } from 'node:http';
import { openDatabase, openPool } from '../src/store/database.ts';
import { createPerson, createSession, joinAccount } from '../src/testing/people.ts';
import type { Fixture } from './fixture.ts';

interface PageLoad {
  readonly paths: readonly string[];
  readonly streams: readonly string[];
}

/** Faster than people read, so that they load more than ten people would. */
const BETWEEN_PAGES_MS = 2000;
/** As browsers do. */
const CONNECTIONS = 6;

/** The bytes of the body as they are sent. */
export function fetchBytes(
  url: string,
  encoding: string,
  headers: Readonly<Record<string, string>> = {},
  agent?: Agent,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { headers: { 'accept-encoding': encoding, ...headers }, ...(agent ? { agent } : {}) };
    const request = get(url, options, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(bytes);
        else reject(new Error(`${url} answered ${answer.statusCode}, not 200.`));
      });
    });
    request.on('error', reject);
  });
}

/** The cookies of so many people who work in the account. */
export async function createSessions(
  { connection }: Fixture,
  accountId: string,
  people: number,
): Promise<string[]> {
  const db = openDatabase(openPool({ ...connection, maxConnections: 2 }));
  try {
    const sessions: string[] = [];
    for (let i = 0; i < people; i++) {
      const person = await createPerson(db);
      await joinAccount(db, person, accountId, 'admin');
      sessions.push(await createSession(db, person));
    }
    return sessions;
  } finally {
    await db.destroy();
  }
}

class Person {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #load: PageLoad;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(origin: string, token: string, load: PageLoad) {
    this.#origin = origin;
    this.#headers = { cookie: `hp_session=${token}` };
    this.#load = load;
  }

  async loadPage(): Promise<void> {
    await Promise.all(
      this.#load.paths.map((path) => fetchBytes(this.#origin + path, 'br', this.#headers, this.#agent)),
    );
  }

  /** What the page holds open for news. */
  openStreams(): ClientRequest[] {
    return this.#load.streams.map((path) =>
      get(
        this.#origin + path,
        { headers: { ...this.#headers, accept: 'text/event-stream' }, agent: false },
        (answer) => answer.on('error', () => undefined).resume(),
      ).on('error', () => undefined),
    );
  }
}

export class People {
  readonly #people: readonly Person[];
  /** Whole pages that were loaded. */
  pages = 0;
  #isLoading = false;
  #timers: NodeJS.Timeout[] = [];
  #streams: ClientRequest[] = [];
  #loads: Promise<void>[] = [];
  #failure: unknown;

  constructor(origin: string, tokens: readonly string[], load: PageLoad) {
    this.#people = tokens.map((token) => new Person(origin, token, load));
  }

  /** They do not all click at the same moment. */
  begin(): void {
    this.#isLoading = true;
    this.#streams = this.#people.flatMap((person) => person.openStreams());
    this.#people.forEach((person, i) => {
      this.#after((i * BETWEEN_PAGES_MS) / this.#people.length, person);
    });
  }

  #after(milliseconds: number, person: Person): void {
    const click = (): void => {
      const load = person.loadPage().then(
        () => {
          this.pages++;
          if (this.#isLoading) this.#after(BETWEEN_PAGES_MS, person);
        },
        (error: unknown) => {
          this.#failure = error;
        },
      );
      this.#loads.push(load);
    };
    this.#timers.push(setTimeout(click, milliseconds));
  }

  /** Returns when all that was asked for has arrived. */
  async pause(): Promise<void> {
    this.#isLoading = false;
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
    await Promise.all(this.#loads.splice(0));
    for (const stream of this.#streams.splice(0)) stream.destroy();
    if (this.#failure !== undefined) throw this.#failure;
  }
}
