import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readPublicId } from '../../kernel/access/key-format.ts';
import { findBreak } from '../../kernel/audit/store.ts';
import { newId } from '../../kernel/ids.ts';
import { runCommand, type Setting, urlOf } from '../../testing/command-line.ts';
import { openPortal, type TestPortal } from '../../testing/portal.ts';
import { createKeyLine } from '../iac/permissions.ts';

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
  runCommand(['--account', account, ...argv], {
    ...setting,
    env: { HOSTPLANE_DATABASE_URL: urlOf(portal.connection) },
  });
const read = async (argv: readonly string[]) => JSON.parse((await run([...argv, '--json'])).out);
const create = (name: string) =>
  run(['keys', 'create', '--name', name, '--permission', 'account:profile:read']);

describe('keys at the command line', () => {
  it('show the secret once, when they are created', async () => {
    const made = await create('ci');
    const secret = /hpk1_\w+/.exec(made.out)?.[0] ?? '';
    expect(readPublicId(secret)).toBeDefined();
    expect(made.out).toContain('shown only this once');
    const later = await Promise.all([
      run(['keys', 'show', 'ci']),
      run(['keys', 'list', '--all']),
      read(['keys', 'list']),
    ]);
    expect(JSON.stringify(later)).not.toContain(secret);
    expect(JSON.stringify(await portal.audit(account))).not.toContain(secret);
    expect(later[1].out).toMatch(/^ID +PUBLIC ID +NAME +STATUS +OWNER +EXPIRES +LAST USED/);
  });

  it('take several permissions, an owner, a lifetime and a preset', async () => {
    const developer = await portal.newMember(account, 'developer');
    const line = [
      'keys',
      'create',
      '--name',
      'ci',
      '--owner',
      developer.email,
      '--expires-in',
      '7d',
      '--notes',
      'For CI',
    ];
    const made = await read([
      ...line,
      '--permission',
      'account:profile:read,storage:*:read',
      '--permission',
      'support:*:read',
    ]);
    expect(made.secret).toMatch(/^hpk1_/);
    expect(made.key).toMatchObject({
      permissions: ['account:profile:read', 'storage:*:read', 'support:*:read'],
      owner: { member_id: developer.id },
      expires_in: '7d',
      notes: 'For CI',
    });
  });

  it('are made with just the permissions of a module by the line in its README', async () => {
    const permissions = ['account:operations:read', 'flexible-vps:vms:read', 'flexible-vps:vms:write'];
    const [program, admin, ...line] = createKeyLine(permissions).split(' ');
    expect([program, admin]).toEqual(['hostplane', 'admin']);
    expect((await read(line)).key).toMatchObject({ name: 'infrastructure', permissions });
  });

  it('print warnings to stderr, and refusals with the reason', async () => {
    const wide = await run(['keys', 'create', '--name', 'all', '--preset', 'full-access']);
    expect([wide.code, wide.err]).toEqual([0, expect.stringContaining('Wildcards also hold')]);
    const future = await run(['keys', 'create', '--name', 'vm', '--permission', 'kubernetes:clusters:read']);
    expect(future.err).toContain('No endpoint uses this yet: kubernetes:clusters:read.');
    const wrong = await run(['keys', 'create', '--name', 'bad', '--permission', 'acount:profile:read']);
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(
        /^Not done: .*\n {2}--permission: No permission matches acount:profile:read\. Did you mean .*\n/,
      ),
    ]);
    const again = await run(['keys', 'create', '--name', 'all', '--preset', 'full-access', '--json']);
    expect(JSON.parse(again.err)).toMatchObject({
      error: { code: 'name_taken', existing_id: expect.any(String) },
    });
  });

  it('are suspended, resumed, rolled, transferred and revoked', async () => {
    const admin = await portal.newMember(account, 'admin');
    const first = (await read(['keys', 'create', '--name', 'ci', '--preset', 'read-only'])).key;
    expect(await run(['keys', 'suspend', 'ci'], { answers: ['yes'] })).toMatchObject({ code: 0 });
    expect((await run(['keys', 'resume', first.public_id])).out).toMatch(/status +active/);
    expect((await run(['keys', 'transfer', first.id, admin.email])).out).toContain(admin.name);
    const refused = await run(['keys', 'roll', 'ci', '--overlap', '1h'], { answers: null });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`hand it to ${admin.name}`)]);
    const rolled = await run(['keys', 'roll', 'ci', '--overlap', '1h', '--yes']);
    expect(rolled.out).toContain('hpk1_');
    expect(rolled.out).toContain(`The old key ${first.id} ends at`);
    const second = await read(['keys', 'show', 'ci']);
    expect(second.id).not.toBe(first.id);
    expect((await read(['keys', 'show', first.id])).replaced_by).toBe(second.id);
    expect(await run(['keys', 'roll', 'ci', '--overlap', '0'], { answers: ['no'] })).toMatchObject({
      code: 1,
    });
    const line = ['keys', 'revoke', 'ci', '--reason', 'leaked', '--comment', 'In a paste'];
    expect(await run(line, { answers: null })).toMatchObject({ code: 1 });
    const revoked = await run([...line, '--yes']);
    expect(revoked.out).toMatch(/status +revoked/);
    expect(revoked.err).toContain(`still works, ${first.id}`);
    expect((await read(['keys', 'list'])).map((key: { id: string }) => key.id)).toEqual([first.id]);
    expect((await read(['keys', 'list', '--all'])).length).toBe(2);
    expect((await run(['keys', 'show', first.id])).out).toContain(`${admin.name} (admin, active)`);
    const unknown = await run(['keys', 'show', 'nothing']);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('hostplane admin keys list')]);
    expect(await findBreak(portal.db, account)).toBeNull();
  });
});

describe('members at the command line', () => {
  it('are added, given roles, suspended, reinstated and removed', async () => {
    const add = ['members', 'add', '--name', 'Bo', '--email', 'bo@example.com', '--role', 'developer'];
    expect(await run(add)).toMatchObject({ code: 0, err: '' });
    await run([
      'keys',
      'create',
      '--name',
      'bo',
      '--owner',
      'bo@example.com',
      '--permission',
      'account:profile:read',
    ]);
    const billing = await run(['members', 'set-role', 'BO@example.com', 'billing']);
    expect([billing.code, billing.err]).toEqual([0, expect.stringContaining('1 API keys')]);
    expect(await run(['members', 'suspend', 'bo@example.com'], { answers: ['yes'] })).toMatchObject({
      code: 0,
    });
    expect((await run(['members', 'reinstate', 'bo@example.com'])).out).toMatch(/status +active/);
    const kept = await run(['members', 'remove', 'bo@example.com'], { answers: [''] });
    expect([kept.code, kept.asked[0]]).toEqual([1, expect.stringContaining('1 API key are revoked')]);
    const moved = await run([
      'members',
      'remove',
      'bo@example.com',
      '--transfer-keys-to',
      'ada@example.com',
      '-y',
    ]);
    expect(moved.out).toMatch(/transferred keys +key_/);
    expect((await run(['members', 'list'])).out).not.toContain('bo@example.com');
    const last = await run(['members', 'remove', 'ada@example.com', '--yes']);
    expect([last.code, last.err]).toEqual([1, expect.stringContaining('only active owner')]);
  });
});

describe('the allowlist at the command line', () => {
  const sight = (keyId: string, clientIp: string) =>
    portal.db
      .insertInto('key_denials')
      .values({
        id: newId('key_denial'),
        account_id: account,
        cause: 'ip_restriction',
        code: 'ip_not_allowed',
        enforced: false,
        allowlist_mode: 'report_only',
        key_id: keyId,
        key_public_id: 'EXAMPLEkey00',
        key_name: 'ci',
        client_ip: clientIp,
        method: 'GET',
        path_template: '/account/v1/whoami',
        operation_id: 'getWhoami',
        required_permission: null,
        denied_by: null,
        user_agent: '',
        count: 1,
        first_at: new Date(),
        last_at: new Date(),
        last_request_id: 'req_1',
      })
      .execute();

  it('adds and removes entries, corrects ranges and warns', async () => {
    const slip = await run(['allowlist', 'add', '203.0.113.7/24']);
    expect([slip.code, slip.err]).toEqual([1, expect.stringContaining('203.0.113.0/24')]);
    expect(await run(['allowlist', 'add', '203.0.113.0/24', '--note', 'Office'])).toMatchObject({ code: 0 });
    const covered = await run(['allowlist', 'add', '203.0.113.7', '--expires-at', '2100-01-01T00:00:00Z']);
    expect(covered.err).toContain('covers it already');
    const { out } = await run(['allowlist', 'show']);
    expect(out).toMatch(/mode +off/);
    expect(out).toMatch(/203\.0\.113\.7\/32 +– +2100-01-01 00:00Z/);
    expect(await run(['allowlist', 'remove', '203.0.113.7'], { answers: ['yes'] })).toMatchObject({
      code: 0,
    });
    expect((await read(['allowlist', 'show'])).entries).toHaveLength(1);
  });

  it('shows which keys Enforce would cut off, and asks for their number', async () => {
    const empty = await run(['allowlist', 'mode', 'enforce']);
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('Allowlist is empty')]);
    const { key } = await read(['keys', 'create', '--name', 'ci', '--preset', 'read-only']);
    await run(['allowlist', 'add', '203.0.113.7']);
    await sight(key.id, '192.0.2.1');
    await sight(key.id, '192.0.2.2');
    const wrong = await run(['allowlist', 'mode', 'enforce'], { answers: ['1'] });
    expect(wrong.code).toBe(1);
    for (const text of ['192.0.2.1', '192.0.2.2', 'Report only has not run'])
      expect(wrong.err).toContain(text);
    const nobody = await run(['allowlist', 'mode', 'enforce'], { answers: null });
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('--yes')]);
    expect((await read(['allowlist', 'show'])).mode).toBe('off');
    const right = await run(['allowlist', 'mode', 'enforce'], { answers: ['2'] });
    expect([right.code, right.out]).toEqual([0, expect.stringMatching(/mode +enforce/)]);
    const last = await run(['allowlist', 'remove', '203.0.113.7', '--yes']);
    expect([last.code, last.err]).toEqual([
      1,
      expect.stringContaining('Last entry of an enforced allowlist'),
    ]);
    expect((await run(['allowlist', 'mode', 'off'])).out).toMatch(/mode +off/);
    expect(await findBreak(portal.db, account)).toBeNull();
  });
});
