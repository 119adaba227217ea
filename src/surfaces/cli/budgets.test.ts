import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand, type Setting, urlOf } from '../../testing/command-line.ts';
import { openPortal, type TestPortal } from '../../testing/portal.ts';

let portal: TestPortal;
let account: string;
beforeAll(async () => {
  portal = await openPortal();
});
beforeEach(async () => {
  account = (await portal.newAccount()).account.id;
});
afterAll(() => portal.close());

const run = (argv: readonly string[], setting: Setting = {}) =>
  runCommand(['--account', account, 'budgets', ...argv], {
    ...setting,
    env: { HOSTPLANE_DATABASE_URL: urlOf(portal.connection) },
  });
const read = async (argv: readonly string[]) => JSON.parse((await run([...argv, '--json'])).out);
const set = (...more: string[]) => run(['set', 'cap', ...more]);

describe('budgets at the command line', () => {
  it('are declared with everything they have, and listed', async () => {
    const made = await set(
      ...['--amount', '250', '--threshold', '80,100:forecast', '--action', 'block_new_cost'],
      ...['--family', 'storage,support', '--label-selector', 'env=prod,!old', '--email', 'ada@example.com'],
    );
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toContain('families storage, support; labels env=prod,!old');
    expect(await read(['list'])).toMatchObject([
      {
        name: 'cap',
        amount: '250.00',
        thresholds: [
          { percent: 80, basis: 'actual' },
          { percent: 100, basis: 'forecast' },
        ],
        action: 'block_new_cost',
        scope: { families: ['storage', 'support'], label_selector: 'env=prod,!old' },
        emails: ['ada@example.com'],
      },
    ]);
    expect((await run(['list'])).out).toMatch(
      /^NAME +AMOUNT +SPENT +FORECAST +STATUS +ACTION +LOCKED +SCOPE/,
    );
  });

  it('keep values that are not given', async () => {
    await set('--amount', '100', '--threshold', '80', '--family', 'storage', '--description', 'mine');
    expect(await read(['set', 'cap', '--amount', '300'])).toMatchObject({
      amount: '300.00',
      description: 'mine',
      scope: { families: ['storage'] },
    });
    expect(await read(['set', 'cap', '--whole-account'])).toMatchObject({
      amount: '300.00',
      scope: { families: null, label_selector: null, api_key_ids: null },
    });
  });

  it('are locked and unlocked, and deleted after a question', async () => {
    await set('--amount', '100', '--threshold', '80');
    expect(await read(['lock', 'cap'])).toMatchObject({ locked: true });
    expect(await read(['set', 'cap', '--amount', '1000'])).toMatchObject({ amount: '1000.00', locked: true });
    expect(await read(['unlock', 'cap'])).toMatchObject({ locked: false });
    const kept = await run(['delete', 'cap'], { answers: ['no'] });
    expect([kept.code, kept.asked]).toEqual([
      1,
      ['The budget cap is deleted for good. Nobody is notified any more. Type yes to go on: '],
    ]);
    expect((await run(['delete', 'cap'], { answers: ['yes'] })).code).toBe(0);
    expect((await run(['list'])).out).toBe('The account has no budgets.\n');
  });

  it('are refused with missing, invalid or unknown options', async () => {
    const missing = await set('--amount', '100');
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('--threshold: ')]);
    const wrong = await set('--amount', '100', '--threshold', 'half');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('"half" is not a threshold')]);
    const key = await set('--amount', '100', '--threshold', '80', '--key', 'nobody');
    expect([key.code, key.err]).toEqual([1, expect.stringContaining('No API key')]);
    const unknown = await run(['lock', 'other']);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('hostplane admin budgets list')]);
  });
});
