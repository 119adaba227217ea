/** An account with a member of each role, who is signed in to the portal, and calls of acts in it. */
import { type RoleName, roleNames } from '../kernel/access/roles.ts';
import type { Act } from '../surfaces/portal/act.ts';
import { createAccount, type TestAccount } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { Browser, createPerson, createSession, joinAccount } from '../testing/people.ts';
import type { ActInput, Acting } from './act-fixtures.ts';

export interface ActWorld {
  readonly app: TestApp;
  readonly account: TestAccount;
  /** A member of this role, by default one who has just entered the password. */
  actAs(role: RoleName, options?: Parameters<typeof createSession>[2]): Promise<Acting>;
}

/** A new account in the app, with a member of each role. */
export async function createActAccount(app: TestApp): Promise<ActWorld> {
  const { db } = app.services;
  const account = await createAccount(db);
  const members = new Map<RoleName, { personId: string; memberId: string }>();
  for (const role of roleNames) {
    const person = await createPerson(db);
    members.set(role, { personId: person.id, memberId: await joinAccount(db, person, account.id, role) });
  }
  return {
    app,
    account,
    async actAs(role, options) {
      const { personId, memberId } = members.get(role)!;
      const browser = new Browser(app, await createSession(db, { id: personId }, options));
      return { app, account, personId, memberId, browser };
    },
  };
}

export const createActWorld = async (): Promise<ActWorld> =>
  createActAccount(await createTestApp({ portal: true }));

/** Parameters that the input does not name lead to nothing. */
export const sendAct = (
  { method, path }: Act,
  { account, browser }: Pick<Acting, 'account' | 'browser'>,
  { params, input }: ActInput = {},
  headers = {},
) => {
  const values: Record<string, string> = { account_id: account.id, ...params };
  const url = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => values[name] ?? `${name}_of_nothing`);
  return browser.send(method, url, input, headers);
};

export const outcomeOfAct = (answer: { statusCode: number; json(): { code?: string } }): string =>
  `${answer.statusCode} ${answer.json().code ?? ''}`.trim();
