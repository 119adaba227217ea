import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nullRouteExpiry } from '../../families/ip-management/null-routes/expiry.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, urlOf } from '../../testing/command-line.ts';
import { settle } from '../../testing/operations.ts';
import { createPerson, joinAccount, mailsTo } from '../../testing/people.ts';
import { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

const run = (...argv: string[]) =>
  runCommand(['addresses', ...argv], {
    env: { HOSTPLANE_DATABASE_URL: urlOf(t.database.connection) },
    answers: ['yes'],
  });

const nicOf = async (vps: VpsAccount, vm: { id: string; location: string }) =>
  (await vps.instance(vm))?.nics.find(({ network }) => network === null);

it('who: names the account and the machine that had an address at a time, also after they are gone', async () => {
  const [first, second] = [await VpsAccount.open(t), await VpsAccount.open(t)];
  const ip = await first.reserveAddress();
  const address = ip.block.replace('/32', '');
  const vm = await first.vm();
  await first.do('POST', `vms/${vm.id}/public-ips`, { ip_id: ip.id });
  const atMachine = new Date();
  await first.do('DELETE', `vms/${vm.id}`);
  const released = await t.call({
    method: 'DELETE',
    url: `/ip-management/v1/addresses/${ip.id}`,
    key: first.key,
  });
  expect(released.statusCode, released.body).toBe(202);
  await settle(t);
  await sql`
    update public_addresses set quarantined_until = now(), former_account_id = ${second.account.id}
    where block = ${ip.block}::cidr`.execute(t.services.db);
  const taken = await second.reserveAddress();
  expect(taken.block).toBe(ip.block);

  const asked = await run('who', address, '--at', atMachine.toISOString());
  expect(asked.code, asked.err).toBe(0);
  expect(asked.out).toContain(first.account.id);
  expect(asked.out).toContain(vm.id);
  expect(asked.out).not.toContain(second.account.id);
  const now = (await run('who', address, '--at', new Date().toISOString())).out;
  expect(now).toContain(second.account.id);
  const all = JSON.parse((await run('who', address, '--json')).out) as { account_id: string }[];
  expect(all.map(({ account_id }) => account_id)).toEqual([
    second.account.id,
    ...Array(3).fill(first.account.id),
  ]);
  expect((await run('who', address, '--at', '2020-01-01T00:00:00Z')).out).toBe('Nobody had it then.\n');
  expect(await run('who', 'router')).toMatchObject({ code: 1 });
  expect(await run('who', address, '--at', 'yesterday')).toMatchObject({ code: 2 });
});

it('what is kept about holders can be neither changed nor deleted within a year', async () => {
  const ip = await (await VpsAccount.open(t)).reserveAddress();
  const { db } = t.services;
  const mine = sql`address_id = ${ip.id}`;
  await expect(
    sql`update address_holdings set account_id = 'acc_other' where ${mine}`.execute(db),
  ).rejects.toThrow('only be ended');
  await expect(sql`delete from address_holdings where ${mine}`.execute(db)).rejects.toThrow('for a year');
  await expect(
    sql`update address_holdings set held_until = now() - interval '2 years' where ${mine}`.execute(db),
  ).resolves.toBeDefined();
  await sql`delete from address_holdings where ${mine}`.execute(db);
});

it('null-route: stays when the address is released and taken back, and can be ended in between', async () => {
  const vps = await VpsAccount.open(t);
  const { block, location } = await vps.reserveAddress();
  const address = block.replace('/32', '');
  const call = (method: 'DELETE' | 'GET' | 'POST', path = '', payload: object = {}) =>
    t.call({
      method,
      url: `/ip-management/v1/addresses${path}`,
      key: vps.key,
      ...(method === 'POST' ? { payload } : {}),
    });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const drop = () => run('null-route', address, '--until', until, '--reason', 'A flood.');
  const release = async () => {
    const { id } = (await call('GET', `/${address}`)).json<{ id: string }>();
    expect((await call('DELETE', `/${id}`)).statusCode).toBe(202);
    await settle(t);
  };
  expect((await drop()).code).toBe(0);
  await release();
  expect((await run('null-routed')).out).toContain(block);
  const again = { location, family: 'ipv4', address };
  expect((await call('POST', '', again)).statusCode).toBe(202);
  await settle(t);
  expect((await call('GET', `/${address}`)).json()).toMatchObject({ routing: 'null_routed' });
  await release();
  expect(await run('end-null-route', address)).toMatchObject({ code: 0 });
  expect((await run('null-routed')).out).not.toContain(block);
  expect((await call('POST', '', again)).json()).toMatchObject({ routing: 'normal', null_route: null });
});

it('null-route: cuts the address off at the engine, tells the customer, and ends by itself', async () => {
  const vps = await VpsAccount.open(t);
  const person = await createPerson(t.services.db);
  await joinAccount(t.services.db, person, vps.account.id, 'owner');
  const vm = await vps.vm();
  const ip = vm.public_ips.find(({ version }) => version === 4)!;
  const read = async () =>
    (await t.call({ url: `/ip-management/v1/addresses/${ip.address}`, key: vps.key })).json();
  const before = await read();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const ran = await run('null-route', ip.address, '--until', until, '--reason', 'A flood of packets.');
  expect(ran.code, ran.err).toBe(0);
  expect(ran.out).toContain('by the engine of the machine');
  await settle(t);
  expect((await nicOf(vps, vm))?.ipv4).toBeNull();
  expect((await vps.readVm(vm.id)).primary_ipv4, 'the machine still has it').toBe(ip.address);
  const after = await read();
  expect(after).toMatchObject({
    routing: 'null_routed',
    null_route: { reason: 'A flood of packets.', until },
    status: 'assigned',
  });
  expect(after.etag).not.toBe(before.etag);
  expect(await mailsTo(t.services.db, person.email)).toContain('address_null_routed');
  expect((await run('null-routed')).out).toContain('A flood of packets.');

  await sql`update public_addresses set null_route_until = now() where id = ${ip.ip_id}`.execute(
    t.services.db,
  );
  await nullRouteExpiry.run(t.services);
  await settle(t);
  expect((await nicOf(vps, vm))?.ipv4).toBe(ip.address);
  expect(await read()).toMatchObject({ routing: 'normal', null_route: null });
  const events = await t.call({ url: '/account/v1/events?types=address.*', key: vps.key });
  const told: string[] = events.json().data.map(({ type }: { type: string }) => type);
  expect(told.filter((type) => type.startsWith('address.null_'))).toEqual([
    'address.null_routed',
    'address.null_route_ended',
  ]);
  expect(await run('end-null-route', ip.address)).toMatchObject({ code: 1 });
  expect(await run('null-route', '192.0.2.250', '--until', until, '--reason', 'x')).toMatchObject({
    code: 1,
  });
});
