/** Real WireGuard clients connect through gateways on a real engine, with the configurations that the API gave them. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOf } from '../../../engines/compute/incus/names.ts';
import { startDaemon } from '../../../testing/incus/daemon.ts';
import { VPN_IMAGE } from '../../../testing/incus/furnish.ts';
import {
  ip,
  makeNamespace,
  type Namespace,
  removeNamespace,
  runIn,
} from '../../../testing/incus/namespace.ts';
import { ovnChoices, startOvnDaemon } from '../../../testing/incus/ovn-harness.ts';
import { PATIENCE, Place } from '../../../testing/incus/place.ts';
import { probeOf } from '../../../testing/incus/probe.ts';
import { whyNoOvn, whyNoVpn } from '../../../testing/incus/programs.ts';
import { furnishForDemo, SYSTEM } from '../../../testing/incus/provider.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Firewall } from '../firewalls/schema.ts';
import type { Vm } from '../vms/schema.ts';
import type { VpnPeer } from '../vpn-peers/schema.ts';
import type { VpnGateway } from './schema.ts';

const PRIVATE = '10.20.0.20';
const vpn_image = VPN_IMAGE;

async function openOvn(): Promise<Place> {
  const { daemon, fabric } = await startOvnDaemon((started) => furnishForDemo(started, { vpn: true }));
  return Place.on(daemon, { ...ovnChoices(fabric), vpn_image });
}

async function openLxd(): Promise<Place> {
  const daemon = await startDaemon('lxd');
  await furnishForDemo(daemon, { vpn: true });
  return Place.on(daemon, { vpn_image });
}

const whyNot = {
  bridges: whyNoVpn(),
  'bridges of LXD': whyNoVpn('lxd'),
  OVN: whyNoVpn() ?? whyNoOvn(),
};
tryOn('bridges', () => Place.open({ vpn: true }, { vpn_image }));
tryOn('bridges of LXD', openLxd);
tryOn('OVN', openOvn);

function tryOn(networks: keyof typeof whyNot, open: () => Promise<Place>): void {
  const reason = whyNot[networks];
  const name = `tunnels into networks on ${networks}${reason === null ? '' : `: ${reason}`}`;
  describe.skipIf(reason !== null)(name, () => describeTunnels(open, networks === 'OVN'));
}

function describeTunnels(open: () => Promise<Place>, hasFirewalls: boolean): void {
  let place: Place;
  let folder: string;
  let serial = 0;
  const clients: Namespace[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostplane-vpn-'));
    place = await open();
  });
  afterAll(async () => {
    for (const client of clients) removeNamespace(client);
    await place?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (...args: Parameters<Place['vps']['send']>) => place.vps.send(...args);

  async function made<T extends { id: string }>(path: string, body: object): Promise<T> {
    const answer = await send('POST', path, body);
    expect(answer.statusCode, answer.body).toBe(202);
    const { id, operation } = answer.json<{ id: string; operation: { id: string } }>();
    expect(await place.endOf(operation.id)).toMatchObject({ status: 'succeeded', error: null });
    return (await send('GET', `${path}/${id}`)).json<T>();
  }

  /** A computer elsewhere: its namespace has a cable to that of the engine, and no other way to the machines. */
  async function computer(): Promise<Namespace> {
    const client = await makeNamespace();
    clients.push(client);
    const n = ++serial;
    const [near, far] = [`vpnc${process.pid % 10000}${n}`, `vpns${process.pid % 10000}${n}`];
    const { namespace: engine } = place.daemon;
    await ip(
      'link',
      'add',
      near,
      'netns',
      client.name,
      'type',
      'veth',
      'peer',
      'name',
      far,
      'netns',
      engine.name,
    );
    await ip('-n', client.name, 'addr', 'add', `198.51.100.${n * 4 + 2}/30`, 'dev', near);
    await ip('-n', client.name, 'link', 'set', near, 'up');
    await ip('-n', engine.name, 'addr', 'add', `198.51.100.${n * 4 + 1}/30`, 'dev', far);
    await ip('-n', engine.name, 'link', 'set', far, 'up');
    await ip('-n', client.name, 'route', 'add', '203.0.113.0/24', 'via', `198.51.100.${n * 4 + 1}`);
    return client;
  }

  /** Does what `wg-quick up` does with the text of a configuration. Returns the name of the interface. */
  async function connect(client: Namespace, text: string): Promise<string> {
    const device = `wgt${process.pid % 10000}${serial}`;
    const listIn = (name: string): string[] =>
      (new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1] ?? '').split(', ').filter((each) => each !== '');
    const file = join(folder, `${device}.conf`);
    const plain = text.split('\n').filter((line) => !/^(Address|DNS|MTU)/.test(line));
    await writeFile(file, plain.join('\n'), { mode: 0o600 });
    const program = spawn('nsenter', [`--net=${client.path}`, 'wireguard-go', '-f', device], {
      stdio: 'ignore',
    });
    program.unref();
    const set = () =>
      runIn(client, 'wg', ['setconf', device, file]).then(
        () => true,
        () => false,
      );
    await expect.poll(set, PATIENCE).toBe(true);
    for (const address of listIn('Address'))
      await ip('-n', client.name, 'addr', 'add', address, 'dev', device);
    await ip('-n', client.name, 'link', 'set', device, 'mtu', listIn('MTU')[0] ?? '1380', 'up');
    for (const range of listIn('AllowedIPs'))
      await ip('-n', client.name, 'route', 'add', range, 'dev', device);
    return device;
  }

  const reaches = (client: Namespace, address: string): Promise<boolean> =>
    runIn(client, 'busybox', ['ping', '-c1', '-W2', address]).then(
      () => true,
      () => false,
    );
  const fetches = (client: Namespace, address: string): Promise<boolean> =>
    runIn(client, 'timeout', ['5', 'busybox', 'wget', '-q', '-O', '-', `http://${address}/`]).then(
      () => true,
      () => false,
    );
  const pathOf = ({ gateway_id, id }: VpnPeer) => `vpn-gateways/${gateway_id}/peers/${id}`;

  async function peer(gateway: VpnGateway): Promise<{ row: VpnPeer; text: string }> {
    const answer = await send('POST', `vpn-gateways/${gateway.id}/peers`, { name: `p-${++serial}` });
    expect(answer.statusCode, answer.body).toBe(201);
    const row = answer.json<VpnPeer>();
    expect(row.applied_at).not.toBeNull();
    return { row, text: (await send('GET', `${pathOf(row)}/config`, undefined, { accept: '*/*' })).body };
  }

  const privateNetwork = (name: string, ipv4_cidr: string) =>
    made<{ id: string }>('networks', { name, location: 'fra1', ipv4_cidr, ipv6: false });

  /** How many interfaces the gateway has at the engine. */
  async function interfacesOf({ id }: VpnGateway): Promise<number> {
    const project = nameOf(place.vps.account.id);
    const path = `/1.0/instances/${nameOf(id)}`;
    const { devices } = await place.daemon.client.ask<{ devices: Record<string, { type: string }> }>(
      'GET',
      path,
      { project },
    );
    return Object.values(devices).filter(({ type }) => type === 'nic').length;
  }

  /** Whoever is on the public network can use the gateway as a router. It forwards nothing of theirs. */
  async function expectNoWayAround(gateway: VpnGateway, target: Vm): Promise<void> {
    const { succeeds } = probeOf(() => place);
    const other = await VpsAccount.open(place.app);
    const body = {
      name: 'stranger',
      location: 'fra1',
      plan: 'flex-1-1',
      ssh_key_ids: [],
      user_data: '#cloud-config\n',
    };
    const source = { type: 'image', image_id: SYSTEM };
    const answer = await other.send('POST', 'vms', { ...body, source });
    expect(answer.statusCode, answer.body).toBe(202);
    const { id, operation } = answer.json<{ id: string; operation: { id: string } }>();
    const isDone = async () => (await other.operation(operation.id)).status;
    await expect.poll(isDone, PATIENCE).toBe('succeeded');
    const stranger = { account: other.account.id, id };
    const machine = { account: place.vps.account.id, id: target.id };
    const { ipv4 } = gateway.endpoint;
    const isReached = () => succeeds(stranger, `ping -c1 -W1 ${ipv4}`);
    await expect.poll(isReached, PATIENCE).toBe(true);
    // Echo requests, counted at the machine: its answers would take another way.
    const count = "grep '^Icmp:' /proc/net/snmp | cut -d' ' -f10";
    await succeeds(machine, `${count} > /root/count`);
    expect(await succeeds(stranger, `ip route add ${PRIVATE} via ${ipv4}`)).toBe(true);
    await succeeds(stranger, `ping -c3 -W1 ${PRIVATE}`);
    expect(await succeeds(machine, `${count} | cmp -s - /root/count`)).toBe(true);
    expect((await other.send('DELETE', `vms/${id}`)).statusCode).toBe(202);
    await expect.poll(async () => (await other.send('GET', `vms/${id}`)).statusCode, PATIENCE).toBe(404);
  }

  /** A firewall sees connections of peers with the private address of the gateway. */
  async function expectFiltered(client: Namespace, gateway: VpnGateway, target: Vm): Promise<void> {
    const network = target.interfaces[0]?.network_id;
    const { in_use } = (await send('GET', `networks/${network}`)).json<{
      in_use: { id: string; address: string }[];
    }>();
    const address = in_use.find(({ id }) => id === gateway.id)?.address;
    const { id } = (await send('POST', 'firewalls', { name: 'guard' })).json<Firewall>();
    const change = async (path: string, body: object) =>
      expect(await place.endOf(await place.act('POST', `firewalls/${id}/${path}`, body))).toMatchObject({
        status: 'succeeded',
      });
    await expect.poll(() => fetches(client, PRIVATE), PATIENCE).toBe(true);
    await change('attachments', { target: { type: 'vm', id: target.id } });
    expect(await fetches(client, PRIVATE)).toBe(false);
    const web = { direction: 'in', action: 'allow', protocol: 'tcp', ports: ['80'] };
    await change('rules', { ...web, remote_cidrs: [`${address}/32`] });
    await expect.poll(() => fetches(client, PRIVATE), PATIENCE).toBe(true);
    expect(await reaches(client, PRIVATE)).toBe(false);
    const removal = await place.act('DELETE', `firewalls/${id}?detach=true`);
    expect(await place.endOf(removal)).toMatchObject({ status: 'succeeded' });
    await expect.poll(() => reaches(client, PRIVATE), PATIENCE).toBe(true);
  }

  it('lead to a private machine with the downloaded configuration, and end with their peer alone', async () => {
    const network = await privateNetwork('backend', '10.20.0.0/24');
    const networks = [{ network_id: network.id, ipv4: PRIVATE }];
    const target = await place.create({ networks, public_ipv4: { mode: 'none' }, public_ipv6: false });
    const gateway = await made<VpnGateway>('vpn-gateways', {
      name: 'office',
      location: 'fra1',
      network_ids: [network.id],
    });
    const [laptop, phone] = [await computer(), await computer()];
    expect(await reaches(laptop, PRIVATE)).toBe(false);
    const one = await peer(gateway);
    await connect(laptop, one.text);
    await expect.poll(() => reaches(laptop, PRIVATE), PATIENCE).toBe(true);

    await expectNoWayAround(gateway, target);
    if (hasFirewalls) await expectFiltered(laptop, gateway, target);

    // The second peer comes, and the first one goes: the tunnel of the other stays up.
    const two = await peer(gateway);
    const device = await connect(phone, two.text);
    await expect.poll(() => reaches(phone, PRIVATE), PATIENCE).toBe(true);
    expect(await reaches(laptop, PRIVATE)).toBe(true);
    // Not `all`: that would also list interfaces of other test runs on this machine.
    const handshake = () => runIn(phone, 'wg', ['show', device, 'latest-handshakes']);
    const before = await handshake();
    expect((await send('DELETE', pathOf(one.row))).statusCode).toBe(204);
    expect(await reaches(laptop, PRIVATE)).toBe(false);
    expect(await reaches(phone, PRIVATE)).toBe(true);
    expect(await handshake()).toBe(before);

    // Handshake and traffic are read back by the schedule.
    const read = async () => (await send('GET', pathOf(two.row))).json<VpnPeer>();
    const drift = place.app.registry.schedules.find(({ name }) => name === 'flexible-vps.vpn-gateways');
    await drift?.run(place.app.services);
    expect((await read()).rx_bytes).toBeGreaterThan(0);
    expect((await read()).last_handshake_at).not.toBeNull();

    // A gateway that was restarted without a word is set up again, and the tunnel comes back.
    await place.exec(gateway.id, ['sh', '-c', 'ip link del wg0']);
    await expect.poll(() => reaches(phone, PRIVATE), PATIENCE).toBe(false);
    await drift?.run(place.app.services);
    await expect.poll(() => reaches(phone, PRIVATE), PATIENCE).toBe(true);

    // The engine dies while the gateway joins a second network. The tunnel stays up, and the change is made later.
    const other = await privateNetwork('other', '10.21.0.0/24');
    const network_ids = [network.id, other.id];
    const update = await send('PATCH', `vpn-gateways/${gateway.id}`, { network_ids });
    expect(update.statusCode, update.body).toBe(202);
    await expect.poll(() => interfacesOf(gateway), PATIENCE).toBe(3);
    await place.daemon.kill();
    expect(await reaches(phone, PRIVATE)).toBe(true);
    await place.daemon.start();
    const { operation } = update.json<{ operation: { id: string } }>();
    expect(await place.endOf(operation.id)).toMatchObject({ status: 'succeeded', error: null });
    expect((await send('GET', `vpn-gateways/${gateway.id}`)).json()).toMatchObject({
      status: 'active',
      network_ids,
    });
    expect(await reaches(phone, PRIVATE)).toBe(true);

    const deletion = await place.act('DELETE', `vpn-gateways/${gateway.id}`);
    expect(await place.endOf(deletion)).toMatchObject({ status: 'succeeded' });
    await place.removeAll();
  }, 600_000);
}
