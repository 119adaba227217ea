/** A member who is signed in, for tests of calls without an API key. */
import type { LightMyRequestResponse } from 'fastify';
import type { RoleName } from '../kernel/access/roles.ts';
import type { TestApp } from './app.ts';
import { Browser, createPerson, createSession, joinAccount, ORIGIN } from './people.ts';

export interface MemberCall {
  readonly method?: string;
  /** The path and query of the endpoint. */
  readonly url: string;
  readonly payload?: unknown;
  readonly headers?: Record<string, string | undefined>;
  /** The account in the path, if it is another one. */
  readonly accountId?: string;
}

export class SignedIn {
  readonly #app: TestApp;
  readonly accountId: string;
  readonly memberId: string;
  readonly personId: string;
  readonly sessionId: string;
  readonly token: string;
  address: string;

  private constructor(
    app: TestApp,
    facts: Pick<SignedIn, 'accountId' | 'memberId' | 'personId' | 'sessionId' | 'token'>,
  ) {
    this.#app = app;
    this.accountId = facts.accountId;
    this.memberId = facts.memberId;
    this.personId = facts.personId;
    this.sessionId = facts.sessionId;
    this.token = facts.token;
    this.address = new Browser(app).address;
  }

  static async open(
    app: TestApp,
    accountId: string,
    role: RoleName,
    options: { reauthenticated?: boolean; secondFactor?: boolean } = {},
  ): Promise<SignedIn> {
    const { db } = app.services;
    const person = await createPerson(db);
    const memberId = await joinAccount(db, person, accountId, role);
    const token = await createSession(db, person, options);
    const { id: sessionId } = await db
      .selectFrom('sessions')
      .select('id')
      .where('person_id', '=', person.id)
      .executeTakeFirstOrThrow();
    return new SignedIn(app, { accountId, memberId, personId: person.id, sessionId, token });
  }

  /** The headers that the browser of the person sends. */
  get headers(): Record<string, string> {
    return {
      host: 'localhost:8080',
      origin: ORIGIN,
      'user-agent': 'browser',
      cookie: `hp_session=${this.token}`,
    };
  }

  urlOf = (url: string, accountId = this.accountId): string => `/portal/v1/call/${accountId}${url}`;

  async call({
    method = 'GET',
    url,
    payload,
    headers = {},
    accountId,
  }: MemberCall): Promise<LightMyRequestResponse> {
    const sent = {
      ...this.headers,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    return this.#app.app.inject({
      method: method as 'GET',
      url: this.urlOf(url, accountId),
      remoteAddress: this.address,
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
      ...(payload === undefined ? {} : { payload: payload as object }),
    });
  }
}
