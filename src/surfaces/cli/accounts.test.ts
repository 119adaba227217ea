import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreak } from '../../kernel/audit/store.ts';
import { runCommand, type Setting, urlOf } from '../../testing/command-line.ts';
import { openPortal, type TestPortal } from '../../testing/portal.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

const run = (argv: readonly string[], setting: Setting = {}) =>
  runCommand(argv, { ...setting, env: { HOSTPLANE_DATABASE_URL: urlOf(portal.connection) } });
const read = async (argv: readonly string[]) => JSON.parse((await run([...argv, '--json'])).out);

describe('accounts at the command line', () => {
  it('start with none, and a single one need not be named', async () => {
    const none = await run(['accounts', 'list']);
    expect(none.out).toContain('hostplane admin accounts create');
    expect((await run(['members', 'list'])).err).toContain('There is no account yet');
    const made = await run([
      ...['accounts', 'create', '--name', 'Example GmbH', '--timezone', 'Europe/Paris'],
      ...['--owner-name', 'Ada', '--owner-email', 'ada@example.com'],
    ]);
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toContain('hostplane admin keys create --account acc_');
    expect((await run(['accounts', 'show'])).out).toMatch(/timezone +Europe\/Paris/);
    const [entry] = await portal.audit((await read(['accounts', 'show'])).id);
    expect(entry).toMatchObject({
      action: 'createAccount',
      source: 'system',
      actor: { kind: 'provider_staff', name: 'operator' },
    });
  });

  it('are refused with one line per invalid option, without words of HTTP', async () => {
    const { code, err } = await run([
      ...['accounts', 'create', '--name', 'X', '--currency', 'euro'],
      ...['--owner-name', 'Ada', '--owner-email', 'ada'],
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/^Not done: 2 values are not valid\.\n/);
    expect(err).toMatch(/^ {2}--currency: /m);
    expect(err).toMatch(/^ {2}--owner-email: Must be an e-mail address/m);
    expect(err).toContain('Correct what is listed, then run the command again.');
    expect(err).not.toMatch(/request|header|body|field|call/i);
  });

  it('have their settings changed, each with one audit entry', async () => {
    const { id } = await read(['accounts', 'show']);
    const before = (await portal.audit(id)).length;
    const lines = [
      ['accounts', 'key-policy', '--max-lifetime-days', '30', '--default-approval', 'destructive'],
      ['accounts', 'key-policy', '--non-expiring', 'allow'],
      ['accounts', 'enable-product', 'storage'],
      ['accounts', 'disable-product', 'storage', '--reason', 'Not paid', '--yes'],
      ['accounts', 'suspend-keys', '--yes'],
      ['accounts', 'resume-keys'],
      ['accounts', 'set-limit', 'account.api-keys', '150'],
      ['accounts', 'set-status', 'restricted'],
    ];
    for (const line of lines) expect(await run(line), line.join(' ')).toMatchObject({ code: 0, err: '' });
    const account = await read(['accounts', 'show', 'Example GmbH']);
    expect(account).toMatchObject({
      status: 'restricted',
      key_max_lifetime_days: null,
      key_non_expiring_allowed: true,
      key_default_approval: 'destructive',
      keys_suspended: false,
      limits: [{ limit_id: 'account.api-keys', value: 150 }],
    });
    expect(account.products).toContainEqual(
      expect.objectContaining({ family: 'storage', reason: 'Not paid' }),
    );
    expect(await portal.audit(id)).toHaveLength(before + lines.length);
    expect(await run(['accounts', 'set-limit', 'account.api-keys', 'many'])).toMatchObject({ code: 2 });
    expect(await run(['accounts', 'set-limit', 'account.api-keys', 'default'])).toMatchObject({ code: 0 });
    expect((await read(['accounts', 'show'])).limits).toEqual([]);
  });

  it('need a confirmation before customers are locked out', async () => {
    const { id, name } = await read(['accounts', 'show']);
    const nobody = await run(['accounts', 'set-status', 'suspended'], { answers: null });
    expect([nobody.code, nobody.err.includes('--yes')]).toEqual([1, true]);
    const wrong = await run(['accounts', 'set-status', 'closing'], { answers: ['yes'] });
    expect([wrong.code, wrong.asked]).toEqual([1, [expect.stringContaining(`Type ${name} to go on`)]]);
    expect((await read(['accounts', 'show'])).status).toBe('restricted');
    expect(await run(['accounts', 'set-status', 'closing'], { answers: [name] })).toMatchObject({ code: 0 });
    const wrongWay = await run(['accounts', 'set-status', 'restricted']);
    expect([wrongWay.code, wrongWay.err]).toEqual([1, expect.stringContaining('Not possible in this state')]);
    expect(await run(['accounts', 'set-status', 'active'])).toMatchObject({ code: 0 });
    expect(await findBreak(portal.db, id)).toBeNull();
  });

  it('must be named if there are several, by id if names are the same', async () => {
    const { account } = await portal.newAccount({ name: 'Twin' });
    await portal.newAccount({ name: 'Twin' });
    const unnamed = await run(['members', 'list']);
    expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining('--account')]);
    const ambiguous = await run(['members', 'list', '--account', 'Twin']);
    expect([ambiguous.code, ambiguous.err]).toEqual([2, expect.stringContaining(account.id)]);
    expect(await run(['members', 'list', '--account', account.id])).toMatchObject({ code: 0 });
    const unknown = await run(['--account', 'Nobody', 'members', 'list']);
    expect([unknown.code, unknown.err]).toEqual([
      1,
      expect.stringContaining('hostplane admin accounts list'),
    ]);
    const { out } = await run(['accounts', 'list']);
    expect(out.split('\n')[0]).toMatch(/^ID +NAME +STATUS +MEMBERS +KEYS +CREATED$/);
    expect(out.trimEnd().split('\n')).toHaveLength(4);
  });

  it('can have their audit log verified, and a break is located', async () => {
    const { account } = await portal.newAccount({ name: 'Proof' });
    await portal.newMember(account.id, 'viewer');
    expect(await run(['audit', 'verify', 'Proof'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('complete and unchanged'),
    });
    await portal.db
      .updateTable('audit_entries')
      .set({ hash: Buffer.alloc(32) })
      .where('account_id', '=', account.id)
      .where('sequence', '=', 2)
      .execute();
    const broken = await run(['audit', 'verify', account.id, '--json']);
    expect([broken.code, JSON.parse(broken.out)]).toEqual([
      1,
      { account_id: account.id, whole: false, broken_at: 2 },
    ]);
    const all = await run(['audit', 'verify', '--all']);
    expect(all.code).toBe(1);
    expect(all.out).toMatch(
      /^The audit log of Proof \(acc_\w+\) is broken at entry 2: .*\n.*\n3 of 4 audit logs are complete/,
    );
    const listed = JSON.parse((await run(['audit', 'verify', '--all', '--json'])).out) as {
      whole: boolean;
    }[];
    expect(listed.map(({ whole }) => whole)).toEqual([true, true, true, false]);
    expect((await run(['audit', 'verify', 'Proof', '--all'])).code).toBe(2);
  });
});

describe('texts of customers', () => {
  it('cannot move the cursor of the terminal', async () => {
    const { account } = await portal.newAccount({ name: 'Evil' });
    await portal.db
      .updateTable('accounts')
      .set({ name: 'Evil\u001b[2J\nline' })
      .where('id', '=', account.id)
      .execute();
    const { out } = await run(['accounts', 'list']);
    expect(out).toContain('Evil?[2J line');
    expect(out).not.toContain('\u001b');
  });
});
