import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab } from '../../engines/compute/contract/lab.ts';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { runCommand, type Setting, urlOf } from '../../testing/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { openSandbox } from '../../testing/sandbox.ts';

let database: TestDatabase;
let db: Db;
let lab: Lab;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool(database.connection));
  lab = new Lab(openSandbox(db));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const run = (argv: readonly string[], setting: Setting = {}) =>
  runCommand(['sandbox', ...argv], {
    ...setting,
    env: { HOSTPLANE_DATABASE_URL: urlOf(database.connection), HOSTPLANE_PORT: '0' },
  });

describe('faults at the command line', () => {
  it('are added, take effect, and are cleared', async () => {
    expect((await run(['faults', 'list'])).out).toBe('There are no rules; calls succeed.\n');
    const added = await run(['faults', 'add', 'unreachable', '--call', 'readCapacity', '--times', '1']);
    expect([added.code, added.err]).toEqual([0, '']);
    await expect(lab.engine.readCapacity()).rejects.toThrow();
    await lab.engine.readCapacity();
    const { out } = await run(['faults', 'list', '--json']);
    expect(JSON.parse(out)).toMatchObject([{ call: 'readCapacity', remaining: 0, struck: 1 }]);
    expect((await run(['faults', 'clear'])).out).toBe('1 cleared.\n');
    expect((await run(['faults', 'clear', '7'])).err).toContain('There is no rule 7');
  });

  it('are added with the word `admin` before them, as help shows it', async () => {
    const env = { HOSTPLANE_DATABASE_URL: urlOf(database.connection), HOSTPLANE_PORT: '0' };
    const { out } = await runCommand(['admin', 'sandbox', 'faults', 'add', '--help']);
    const example = /^ {2}hostplane (admin sandbox .*)$/m.exec(out)?.[1] ?? '';
    const added = await runCommand(example.split(' '), { env });
    expect([added.code, added.err]).toEqual([0, '']);
    expect((await run(['faults', 'clear'])).out).toBe('1 cleared.\n');
  });

  it('accept the options of their effect, and nothing unknown', async () => {
    const failing = ['faults', 'add', 'fail', '--on', 'vm_1', '--code', 'capacity_unavailable', '--json'];
    expect(JSON.parse((await run(failing)).out)).toMatchObject({
      target: 'vm_1',
      remaining: null,
      effect: { kind: 'fail', code: 'capacity_unavailable' },
    });
    expect(JSON.parse((await run(['faults', 'add', 'slow', '--seconds', '2', '--json'])).out)).toMatchObject({
      effect: { kind: 'slow', seconds: 2 },
    });
    expect((await run(['faults', 'add', 'explode'])).code).toBe(2);
    expect((await run(['faults', 'add', 'hang', '--call', 'reboot'])).code).toBe(2);
    expect((await run(['faults', 'add', 'hang', '--times', '0'])).code).toBe(2);
    expect((await run(['faults', 'add', 'hang', '--location', 'mars'])).err).toContain('It serves: fra1');
    expect((await run(['faults', 'add', '--help'])).out).toContain('does not heed the request to shut down');
    await run(['faults', 'clear']);
  });
});

describe('machines at the command line', () => {
  it('are listed from the sandbox', async () => {
    expect((await run(['machines'])).out).toBe('The sandbox is empty.\n');
    const ref = await lab.running();
    const { out } = await run(['machines']);
    expect(out).toContain(ref.id);
    expect(out).toContain('running');
  });

  it('can get injected mishaps, after a confirmation', async () => {
    const ref = await lab.running();
    const refused = await run(['befall', ref.id, 'crash'], { answers: ['no'] });
    expect(refused.code).toBe(1);
    expect((await lab.seen(ref)).state).toBe('running');
    expect((await run(['befall', ref.id, 'crash', '--yes'])).code).toBe(0);
    expect(await lab.seen(ref)).toMatchObject({ state: 'broken', problem: 'crashed' });
    expect((await run(['befall', ref.id, 'shutdown', '--yes'])).err).toContain('no running machine');
    await lab.engine.ensureRunning(ref);
    expect((await run(['befall', ref.id, 'shutdown', '--yes'])).code).toBe(0);
    expect((await lab.seen(ref)).state).toBe('stopped');
    expect((await run(['befall', ref.id, 'lose', '--yes'])).code).toBe(0);
    expect(await lab.engine.observeInstance(ref)).toBeNull();
  });
});
