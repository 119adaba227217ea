import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { restartMachineKind } from '../../testing/machines.ts';
import { ended, operationOf, settle, startOn } from '../../testing/operations.ts';
import { correct } from './correction.ts';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await createTestApp();
  account = await createAccount(app.services.db);
});
afterAll(() => app.close());

const newSubject = (): string => newId('request').replace('req', 'mac');
const start = (subject: string) => startOn(app, account, restartMachineKind, subject);

describe('an operation that is started while an engine is corrected', () => {
  it('runs after the call to the engine has ended', async () => {
    const subject = newSubject();
    let id = '';
    await correct(app.services, async () => ({
      subjects: [subject],
      async act() {
        ({ id } = await start(subject));
        await settle(app);
        expect(await operationOf(app, id)).toMatchObject({ status: 'queued', attempt: 0 });
      },
    }));
    await settle(app);
    expect(await ended(app, id)).toMatchObject({ status: 'succeeded' });
  });

  it('runs also if the call fails, and one of another resource does not wait', async () => {
    const [subject, other] = [newSubject(), newSubject()];
    const ids: string[] = [];
    const correcting = correct(app.services, async () => ({
      subjects: [subject],
      async act() {
        for (const each of [subject, other]) ids.push((await start(each)).id);
        await settle(app);
        const rows = await Promise.all(ids.map((id) => operationOf(app, id)));
        expect(rows.map(({ status }) => status)).toEqual(['queued', 'succeeded']);
        throw new Error('The engine did not answer.');
      },
    }));
    await expect(correcting).rejects.toThrow('did not answer');
    await settle(app);
    expect(await ended(app, ids[0]!)).toMatchObject({ status: 'succeeded' });
  });

  it('keeps a second correction from being made beside the first', async () => {
    const subject = newSubject();
    const calls: string[] = [];
    const once = (name: string, meanwhile = async () => {}) =>
      correct(app.services, async () => ({
        subjects: [subject],
        async act() {
          calls.push(name);
          await meanwhile();
        },
      }));
    await once('first', () => once('second'));
    await once('third');
    expect(calls).toEqual(['first', 'third']);
  });
});
