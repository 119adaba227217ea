import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { newKeyPair } from '../../../kernel/secrets/wireguard-keys.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import type { VpnGateway } from '../vpn-gateways/schema.ts';
import type { VpnPeer } from './schema.ts';

let app: TestApp;
let mine: VpsAccount;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await VpsAccount.open(app);
});
afterEach(() => clearFaults(app.services.db));

const engine = () => app.services.compute.at('fra1') as Sandbox;
const seen = async (id: string) => (await engine().observeGateway({ account: mine.account.id, id }))?.tunnel;
const network = (ipv4_cidr = '10.10.0.0/24') => mine.network({ ipv4_cidr });
const run = async (name: string) => {
  const schedule = app.registry.schedules.find((each) => each.name === `flexible-vps.${name}`);
  await schedule?.run(app.services);
};

const ask = (body: object) =>
  mine.send('POST', 'vpn-gateways', { name: `g-${++serial}`, location: 'fra1', ...body });
async function gateway(body: object = {}): Promise<VpnGateway> {
  const answer = await ask({ network_ids: [await network()], ...body });
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return read(answer.json<VpnGateway>().id);
}
const read = async (id: string) => (await mine.send('GET', `vpn-gateways/${id}`)).json<VpnGateway>();
const askPeer = (id: string, body: object = {}) =>
  mine.send('POST', `vpn-gateways/${id}/peers`, { name: `p-${++serial}`, ...body });
async function peer(id: string, body: object = {}): Promise<VpnPeer> {
  const answer = await askPeer(id, body);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<VpnPeer>();
}
const pathOf = ({ gateway_id, id }: VpnPeer) => `vpn-gateways/${gateway_id}/peers/${id}`;
const readPeer = async (of: VpnPeer) => (await mine.send('GET', pathOf(of))).json<VpnPeer>();
const change = (of: VpnPeer, body: object) => mine.send('PATCH', pathOf(of), body);
const config = (of: VpnPeer, accept = '*/*', query = '') =>
  mine.send('GET', `${pathOf(of)}/config${query}`, undefined, { accept });

async function letExpire({ id }: VpnPeer): Promise<void> {
  const change = { expires_at: new Date(Date.now() - 1000) };
  await app.services.db.updateTable('vpn_peers').set(change).where('id', '=', id).execute();
  await run('vpn-peer-expiry');
}

/** What a resource has used, by SKU. */
interface Group {
  readonly key: Readonly<Record<string, string>>;
  readonly quantities: readonly { readonly sku: string; readonly unit: string; readonly quantity: string }[];
}

describe('a VPN gateway', () => {
  it('is connected to its networks, is billed, and releases its addresses when it is deleted', async () => {
    const net = await network();
    const dry = await mine.send('POST', 'vpn-gateways?dry_run=true', {
      name: 'd',
      location: 'fra1',
      network_ids: [net],
    });
    expect(dry.json()).toMatchObject({ valid: true, cost: { monthly: expect.stringMatching(/^[1-9]/) } });
    const one = await gateway({ network_ids: [net], dns_servers: ['10.10.0.1'] });
    expect(one).toMatchObject({
      status: 'active',
      network_ids: [net],
      tunnel_ipv4_cidr: '100.96.0.0/24',
      endpoint: { port: 51820 },
      mtu: 1380,
      peer_count: 0,
    });
    expect(await seen(one.id)).toMatchObject({ port: 51820, publicKey: one.public_key, peers: [] });
    const { in_use } = (await mine.send('GET', `networks/${net}`)).json<{ in_use: object[] }>();
    expect(in_use).toContainEqual({
      address: '10.10.0.2',
      type: 'vpn_gateway',
      id: one.id,
      interface_id: null,
    });
    const refused = await mine.send('DELETE', `networks/${net}?detach=true`);
    expect(refused.json()).toMatchObject({
      code: 'resource_in_use',
      used_by: [{ type: 'vpn_gateway', id: one.id }],
    });
    await mine.do('DELETE', `vpn-gateways/${one.id}`);
    expect((await mine.send('GET', `vpn-gateways/${one.id}`)).statusCode).toBe(404);
    expect(await seen(one.id)).toBeUndefined();
    const held = await app.services.db
      .selectFrom('public_addresses')
      .select('id')
      .where('account_id', '=', mine.account.id)
      .execute();
    expect(held).toEqual([]);
    expect((await mine.send('DELETE', `networks/${net}`)).statusCode).toBe(202);
  });

  it('409: refuses networks that overlap each other or the tunnel; 422: refuses networks of others', async () => {
    const [one, same] = [await network(), await network('10.10.0.0/25')];
    expect((await ask({ network_ids: [one, same] })).json()).toMatchObject({ code: 'cidr_overlap' });
    const answer = await ask({ network_ids: [one], tunnel_ipv4_cidr: '10.10.0.0/24' });
    expect(answer.json()).toMatchObject({ code: 'cidr_overlap' });
    const other = await VpsAccount.open(app);
    const theirs = await other.network({ ipv4_cidr: '10.20.0.0/24' });
    expect((await ask({ network_ids: [theirs] })).json()).toMatchObject({
      errors: [{ pointer: '/network_ids/0', code: 'unknown_reference' }],
    });
    expect((await ask({ network_ids: [one], tunnel_ipv4_cidr: '10.50.0.0/29' })).json()).toMatchObject({
      errors: [{ pointer: '/tunnel_ipv4_cidr', code: 'out_of_range' }],
    });
  });

  it('needs one to five networks', async () => {
    const networks: string[] = [];
    for (let n = 0; n < 6; n++) networks.push(await network(`10.${20 + n}.0.0/24`));
    for (const network_ids of [[], networks])
      expect((await ask({ network_ids })).json()).toMatchObject({
        status: 422,
        errors: [{ pointer: '/network_ids' }],
      });
    const five = networks.slice(0, 5);
    const { id, network_ids } = await gateway({ network_ids: five });
    expect(network_ids).toEqual(five);
    const { nics } = (await engine().observeGateway({ account: mine.account.id, id }))!;
    expect(nics.map((nic) => nic.network)).toEqual([null, ...five]);
    const text = (await config(await peer(id))).body;
    for (let n = 0; n < 5; n++) expect(text).toContain(`10.${20 + n}.0.0/24`);
  });

  it('can change networks, port and key without losing its peers', async () => {
    const [first, second] = [await network(), await network('10.11.0.0/24')];
    const before = await gateway({ network_ids: [first] });
    const laptop = await peer(before.id);
    await mine.do('PATCH', `vpn-gateways/${before.id}`, {
      network_ids: [second],
      port: 51900,
      rotate_key: true,
    });
    const after = await read(before.id);
    expect(after).toMatchObject({ status: 'active', network_ids: [second], endpoint: { port: 51900 } });
    expect(after.public_key).not.toBe(before.public_key);
    expect(await seen(before.id)).toMatchObject({
      port: 51900,
      publicKey: after.public_key,
      peers: [{ publicKey: laptop.public_key }],
    });
    const now = await readPeer(laptop);
    expect(now.config_changed_at > laptop.config_changed_at).toBe(true);
    await mine.do('DELETE', `networks/${first}`);
    expect((await mine.send('GET', `networks/${first}`)).statusCode).toBe(404);
    const text = (await config(laptop)).body;
    expect(text).toContain('AllowedIPs = 10.11.0.0/24');
    expect(text).toContain(':51900');
  });

  it('is in error if a change fails, keeps its tunnels until they expire, and can be deleted', async () => {
    const { id } = await gateway();
    const laptop = await peer(id);
    await addFault(app.services.db, {
      call: 'ensureGateway',
      times: 1,
      effect: { kind: 'fail', code: 'engine_failed', detail: 'Told to.' },
    });
    await mine.send('PATCH', `vpn-gateways/${id}`, { port: 51901 });
    await settle(app);
    expect(await read(id)).toMatchObject({ status: 'error', status_reason: 'engine_failed' });
    expect((await seen(id))?.peers).toMatchObject([{ publicKey: laptop.public_key }]);
    expect((await askPeer(id)).json()).toMatchObject({ code: 'invalid_state' });
    await letExpire(laptop);
    expect((await seen(id))?.peers).toEqual([]);
    await mine.do('DELETE', `vpn-gateways/${id}`);
    expect(await seen(id)).toBeUndefined();
  });

  it('is created again with its peers if the engine has lost it', async () => {
    const { id } = await gateway();
    const laptop = await peer(id);
    await engine().removeGateway({ account: mine.account.id, id });
    await run('vpn-gateways');
    expect((await seen(id))?.peers).toMatchObject([{ publicKey: laptop.public_key }]);
  });

  it('409: cannot be deleted while it is protected', async () => {
    const { id } = await gateway({ protection: { delete: true } });
    expect((await mine.send('DELETE', `vpn-gateways/${id}`)).json()).toMatchObject({
      code: 'resource_protected',
    });
  });
});

describe('peers', () => {
  it('get the lowest tunnel address, and are configured at the gateway when the call is answered', async () => {
    const { id, tunnel_ipv6_cidr } = await gateway();
    const one = await peer(id);
    const two = await peer(id, { public_key: newKeyPair().publicKey, preshared_key: 'none' });
    expect([one.tunnel_ipv4, two.tunnel_ipv4]).toEqual(['100.96.0.2', '100.96.0.3']);
    expect(one.tunnel_ipv6).toBe(tunnel_ipv6_cidr?.replace('::/64', '::2'));
    expect(one).toMatchObject({ key_source: 'generated', preshared_key_set: true });
    expect(two).toMatchObject({ key_source: 'client', preshared_key_set: false });
    for (const { applied_at } of [one, two]) expect(applied_at).not.toBeNull();
    expect((await seen(id))?.peers.map(({ publicKey }) => publicKey)).toEqual([
      one.public_key,
      two.public_key,
    ]);
    expect((await mine.send('DELETE', pathOf(one))).statusCode).toBe(204);
    expect((await seen(id))?.peers.map(({ publicKey }) => publicKey)).toEqual([two.public_key]);
    expect((await peer(id)).tunnel_ipv4).toBe('100.96.0.2');
  });

  it('can be created at the same time without conflicts', async () => {
    const { id } = await gateway();
    const answers = await Promise.all(Array.from({ length: 8 }, () => askPeer(id)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(201));
    const made = answers.map((answer) => answer.json<VpnPeer>());
    expect(new Set(made.map(({ tunnel_ipv4 }) => tunnel_ipv4)).size).toBe(8);
    expect((await seen(id))?.peers.map(({ publicKey }) => publicKey).sort()).toEqual(
      made.map(({ public_key }) => public_key).sort(),
    );
  });

  it('409: are refused with a key, an address or a subnet that is taken', async () => {
    const { id, public_key: own } = await gateway();
    const { public_key, id: holder } = await peer(id, { kind: 'site', routed_cidrs: ['192.168.50.0/24'] });
    expect((await askPeer(id, { public_key })).json()).toMatchObject({
      code: 'public_key_taken',
      existing_id: holder,
    });
    expect((await askPeer(id, { public_key: own })).json()).toMatchObject({ code: 'public_key_taken' });
    expect((await askPeer(id, { tunnel_ipv4: '100.96.0.2' })).json()).toMatchObject({
      code: 'address_taken',
    });
    for (const range of ['192.168.50.128/25', '10.10.0.0/25', '100.96.0.0/26'])
      expect((await askPeer(id, { kind: 'site', routed_cidrs: [range] })).json()).toMatchObject({
        code: 'cidr_overlap',
      });
    expect((await askPeer(id, { routed_cidrs: ['192.168.60.0/24'] })).json()).toMatchObject({
      errors: [{ pointer: '/routed_cidrs', code: 'incompatible' }],
    });
  });

  it('422: are refused with an invalid endpoint or key', async () => {
    const { id } = await gateway();
    const one = await peer(id, { endpoint: '[2620:fe::fe]:51820' });
    const wrong = ['office.example.com:0', '[1.2.3.4]:51820', '127.0.0.1:51820', '169.254.169.254:51820'];
    const bodies = [...wrong.map((endpoint) => ({ endpoint })), { public_key: `${'A'.repeat(43)}=` }];
    for (const body of bodies)
      for (const answer of [await askPeer(id, body), await change(one, body)])
        expect(answer.json().errors).toMatchObject([{ pointer: `/${Object.keys(body)[0]}` }]);
  });

  it('409: are refused if the tunnel has no free address', async () => {
    const { id } = await gateway({ tunnel_ipv4_cidr: '10.60.0.0/28' });
    for (let n = 0; n < 13; n++) await peer(id);
    expect((await askPeer(id)).json()).toMatchObject({ code: 'quota_exceeded', limit: 13 });
  });

  it('are added later if the gateway is unreachable, but never only seemingly removed or disabled', async () => {
    const { id } = await gateway();
    const old = await peer(id);
    await addFault(app.services.db, { call: 'ensureGatewayPeers', effect: { kind: 'unreachable' } });
    const late = await peer(id);
    expect(late.applied_at).toBeNull();
    expect((await mine.send('DELETE', pathOf(old))).json()).toMatchObject({ code: 'engine_unavailable' });
    expect((await change(old, { enabled: false })).json()).toMatchObject({ code: 'engine_unavailable' });
    expect(await readPeer(old)).toMatchObject({ enabled: true });
    await clearFaults(app.services.db);
    await run('vpn-gateways');
    expect((await readPeer(late)).applied_at).not.toBeNull();
    expect((await seen(id))?.peers).toHaveLength(2);
  });

  it('can be disabled by a call, and are disabled when they expire', async () => {
    const { id } = await gateway();
    const [one, two] = [await peer(id), await peer(id, { expires_at: new Date(Date.now() + 3_600_000) })];
    expect((await change(one, { enabled: false })).json()).toMatchObject({ enabled: false });
    expect((await seen(id))?.peers.map(({ publicKey }) => publicKey)).toEqual([two.public_key]);
    await letExpire(two);
    expect((await seen(id))?.peers).toEqual([]);
    expect(await readPeer(two)).toMatchObject({ enabled: false });
    expect((await change(two, { enabled: true })).json()).toMatchObject({
      errors: [{ pointer: '/enabled', code: 'incompatible' }],
    });
    expect((await change(two, { enabled: true, expires_at: null })).json()).toMatchObject({ enabled: true });
    const url = '/account/v1/events?types=vpn_peer.expired';
    expect((await app.call({ url, key: mine.key })).json()).toMatchObject({ data: { length: 1 } });
  });

  it('show the last handshake and the traffic, also across a restart of the gateway', async () => {
    const { id } = await gateway();
    const site = await peer(id, { endpoint: 'office.example.com:51820' });
    await run('vpn-gateways');
    const { rx_bytes, last_handshake_at } = await readPeer(site);
    expect(last_handshake_at).not.toBeNull();
    expect(rx_bytes).toBeGreaterThan(0);
    // It had counted much more before it restarted.
    await app.services.db
      .updateTable('vpn_peers')
      .set({ rx_counted: 1_000_000_000 })
      .where('id', '=', site.id)
      .execute();
    await run('vpn-gateways');
    expect((await readPeer(site)).rx_bytes).toBeGreaterThan(rx_bytes);
  });

  it('have their outgoing traffic billed once, beyond the included amount', async () => {
    const { id } = await gateway();
    const site = await peer(id, { endpoint: 'office.example.com:51820' });
    const billed = async (): Promise<string> => {
      await run('vpn-gateways');
      const { accrued, groups } = (
        await app.call({ url: '/account/v1/usage?group_by=resource', key: mine.key })
      ).json<{ accrued: { metered: string }; groups: Group[] }>();
      const use = groups
        .find(({ key }) => key['resource_id'] === id)
        ?.quantities.find(({ sku }) => sku === 'vpn.traffic-out');
      return `${accrued.metered} for ${Math.floor(Number(use?.quantity))} ${use?.unit}`;
    };
    const send = (gigabytes: number) =>
      app.services.db
        .updateTable('vpn_peers')
        .set({ tx_counted: sql`tx_counted - ${gigabytes * BYTES_PER_GB}::bigint` })
        .where('id', '=', site.id)
        .execute();
    await send(1000);
    expect(await billed()).toBe('0.00 for 1000 gb');
    await send(2000);
    expect(await billed()).toBe('2.00 for 3000 gb');
    expect(await billed()).toBe('2.00 for 3000 gb');
  });
});

describe('the configuration of a peer', () => {
  async function storedKey({ id }: VpnPeer): Promise<Buffer | null> {
    const query = app.services.db.selectFrom('vpn_peers').select('private_key').where('id', '=', id);
    return (await query.executeTakeFirstOrThrow()).private_key;
  }

  it('is a file with the generated private key by default', async () => {
    const one = await gateway({ dns_servers: ['10.10.0.1'] });
    const laptop = await peer(one.id, { name: 'laptop' });
    const answer = await config(laptop);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="laptop.conf"',
      'cache-control': 'no-store',
    });
    expect(answer.body).toMatch(/^PrivateKey = \S{43}=$/m);
    expect(answer.body).toContain(`Endpoint = ${one.endpoint.ipv4}:51820`);
    expect(answer.body).toContain('DNS = 10.10.0.1');
    expect((await mine.send('GET', `${pathOf(laptop)}/config`)).json()).toMatchObject({ peer_id: laptop.id });
    const json = (await config(laptop, 'application/json')).json<{
      interface: { private_key: string };
      peer: { allowed_ips: string[] };
    }>();
    const { private_key } = json.interface;
    expect(answer.body).toContain(`PrivateKey = ${private_key}`);
    expect((await storedKey(laptop))?.includes(Buffer.from(private_key, 'base64'))).toBe(false);
    expect(json.peer.allowed_ips).toContain('100.96.0.0/24');
    const all = await config(laptop, undefined, '?full_tunnel=true');
    expect(all.body).toContain('AllowedIPs = 0.0.0.0/0, ::/0');
  });

  it('is a QR code, and is refused if the private key was deleted', async () => {
    const { id } = await gateway();
    const laptop = await peer(id);
    const picture = await config(laptop, 'image/png');
    expect(picture.headers['content-type']).toBe('image/png');
    expect(picture.rawPayload.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
    const own = await peer(id, { public_key: newKeyPair().publicKey });
    expect((await config(own, 'image/png')).json()).toMatchObject({ code: 'invalid_state' });
    expect((await config(own)).body).toContain('# PrivateKey = (put');
    await app.services.db
      .updateTable('vpn_peers')
      .set({ private_key_available_until: new Date(Date.now() - 1000) })
      .where('id', '=', laptop.id)
      .execute();
    expect((await config(laptop)).body).not.toMatch(/^PrivateKey/m);
    await run('vpn-key-erasure');
    expect(await storedKey(laptop)).toBeNull();
    const again = (await change(laptop, { regenerate_key: true })).json<VpnPeer>();
    expect(again.public_key).not.toBe(laptop.public_key);
    expect(again.private_key_available_until).not.toBeNull();
    expect((await config(laptop, 'image/png')).statusCode).toBe(200);
    expect((await seen(id))?.peers.map(({ publicKey }) => publicKey)).toContain(again.public_key);
  });
});
