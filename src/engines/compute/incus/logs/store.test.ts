import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../../testing/database.ts';
import { KEPT_BYTES } from '../console-logs.ts';
import { PgConsoleLogs } from './store.ts';

const database = useTestDatabase();

const ref = { account: 'acc_1', id: 'vm_1' };

describe('the stored console log of a machine', () => {
  it('is stored, appended to and deleted, separately for each location', async () => {
    const [here, elsewhere] = [
      new PgConsoleLogs(database.db, 'here'),
      new PgConsoleLogs(database.db, 'elsewhere'),
    ];
    expect(await here.find(ref)).toBe('');
    expect(await here.append(ref, 'booting\u0000 ')).toBe('booting\u0000 ');
    expect(await here.append(ref, 'é login:')).toBe('booting\u0000 é login:');
    expect(await here.find(ref)).toBe('booting\u0000 é login:');
    expect(await elsewhere.find(ref)).toBe('');
    await here.keep(ref, 'anew');
    expect(await here.find(ref)).toBe('anew');
    await here.forget(ref);
    expect(await here.find(ref)).toBe('');
  });

  it('keeps only its last bytes', async () => {
    const logs = new PgConsoleLogs(database.db, 'long');
    await logs.append(ref, 'a'.repeat(KEPT_BYTES));
    expect(await logs.append(ref, 'end')).toBe(`${'a'.repeat(KEPT_BYTES - 3)}end`);
  });
});
