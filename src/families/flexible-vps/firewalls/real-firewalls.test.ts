/** The calls of a customer who protects machines, on real engines: with OVN, and with bridges, which have no firewalls. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ref } from '../../../engines/compute/port.ts';
import { startDaemon } from '../../../testing/incus/daemon.ts';
import { runIn } from '../../../testing/incus/namespace.ts';
import { ovnChoices, startOvnDaemon } from '../../../testing/incus/ovn-harness.ts';
import { PATIENCE, Place } from '../../../testing/incus/place.ts';
import { probeOf } from '../../../testing/incus/probe.ts';
import { engineKinds, whyNoIncus, whyNoOvn } from '../../../testing/incus/programs.ts';
import { furnishForDemo, LOCATION } from '../../../testing/incus/provider.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import type { Firewall } from './schema.ts';

const web = { direction: 'in', action: 'allow', protocol: 'tcp', ports: ['80'] } as const;
const ping = { direction: 'in', action: 'allow', protocol: 'icmp' } as const;
const noPublic = { public_ipv4: { mode: 'none' }, public_ipv6: false } as const;
const lacking = (capability: string) => ({ status: 409, code: 'capability_missing', capability });

const done = async (place: Place, operation: string): Promise<void> =>
  expect(await place.endOf(operation)).toMatchObject({ status: 'succeeded', error: null });

async function network(place: Place, name: string, range: string): Promise<string> {
  const answer = await place.vps.send('POST', 'networks', { name, location: LOCATION, ipv4_cidr: range });
  expect(answer.statusCode, answer.body).toBe(202);
  const { id, operation } = answer.json<{ id: string; operation: { id: string } }>();
  await done(place, operation.id);
  return id;
}

async function firewall(place: Place, body: object): Promise<Firewall> {
  const answer = await place.vps.send('POST', 'firewalls', body);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Firewall>();
}

const withoutOvn = whyNoOvn();

describe.skipIf(withoutOvn !== null)(
  `a customer on OVN${withoutOvn === null ? '' : `: ${withoutOvn}`}`,
  () => {
    let started: Awaited<ReturnType<typeof startOvnDaemon>>;
    let place: Place;
    beforeAll(async () => {
      started = await startOvnDaemon(furnishForDemo);
      place = await Place.on(started.daemon, ovnChoices(started.fabric));
    });
    afterAll(() => place?.close());

    const { succeeds, reaches, hasAddress } = probeOf(() => started);
    const refOf = ({ id }: Pick<Vm, 'id'>): Ref => ({ account: place.vps.account.id, id });
    const has = (vm: Vm, address: string) =>
      expect.poll(() => hasAddress(refOf(vm), address), PATIENCE).toBe(true);
    const pings = (from: Vm, address: string): Promise<boolean> => reaches(refOf(from), address);
    const fetches = (from: Vm, address: string): Promise<boolean> =>
      succeeds(refOf(from), `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${address} 80 | grep -q HTTP`);
    const change = async (path: string, body: object): Promise<void> =>
      done(place, await place.act('POST', path, body));

    /** All that Hostplane writes into OVN. */
    async function written(): Promise<string> {
      const { namespace, northbound } = started.fabric;
      const list = (table: string) =>
        runIn(namespace, 'ovn-nbctl', [
          `--db=${northbound}`,
          '--bare',
          '--columns=external_ids',
          'list',
          table,
        ]);
      const texts = await Promise.all(['ACL', 'Address_Set', 'Port_Group'].map(list));
      return texts
        .join('\n')
        .split('\n')
        .filter((line) => line.includes('hostplane'))
        .join('\n');
    }

    /** A rule about the machines of another firewall holds for those that it has now. */
    async function followsMembers(guard: Firewall, open: Vm): Promise<Firewall> {
      const trusted = await firewall(place, { name: 'trusted', default_in: 'allow' });
      await change(`firewalls/${guard.id}/rules`, { ...ping, remote_firewall_ids: [trusted.id] });
      expect(await pings(open, '10.20.0.12')).toBe(false);
      const front = open.interfaces.find(({ ipv4 }) => ipv4 === '10.20.0.11');
      await change(`firewalls/${trusted.id}/attachments`, { target: { type: 'interface', id: front?.id } });
      await expect.poll(() => pings(open, '10.20.0.12'), PATIENCE).toBe(true);
      expect(await pings(open, '10.30.0.12')).toBe(false);
      const { attachments } = (await place.vps.send('GET', `firewalls/${trusted.id}`)).json<Firewall>();
      const path = `firewalls/${trusted.id}/attachments/${attachments[0]?.id}`;
      await done(place, await place.act('DELETE', path));
      expect(await pings(open, '10.20.0.12')).toBe(false);
      return trusted;
    }

    /** Beside the first firewall, which allows what this one drops. */
    async function followsLabels(guarded: Vm, open: Vm): Promise<Firewall> {
      const rules = [{ ...ping, action: 'drop' }];
      const muted = await firewall(place, { name: 'muted', default_in: 'allow', rules });
      const target = { type: 'label_selector', selector: 'mood=mute' };
      await change(`firewalls/${muted.id}/attachments`, { target });
      expect(await pings(open, '10.20.0.12')).toBe(true);
      const label = (mood: string | null) =>
        place.vps.send('PATCH', `vms/${guarded.id}`, { labels: { mood } });
      expect((await label('mute')).statusCode).toBe(200);
      await expect.poll(() => pings(open, '10.20.0.12'), PATIENCE).toBe(false);
      expect((await label(null)).statusCode).toBe(200);
      await expect.poll(() => pings(open, '10.20.0.12'), PATIENCE).toBe(true);
      return muted;
    }

    it('connects machines by two networks, filters them, gives them an address, and leaves nothing behind', async () => {
      const [front, back] = [
        await network(place, 'front', '10.20.0.0/24'),
        await network(place, 'back', '10.30.0.0/24'),
      ];
      const stranger = await VpsAccount.open(place.app);
      const same = { name: 'same', location: LOCATION, ipv4_cidr: '10.20.0.0/24' };
      expect((await stranger.send('POST', 'networks', same)).statusCode).toBe(202);

      const at = (last: number) => ({
        networks: [
          { network_id: front, ipv4: `10.20.0.${last}` },
          { network_id: back, ipv4: `10.30.0.${last}` },
        ],
      });
      const guard = await firewall(place, { name: 'guard', rules: [web] });
      const refused = await place.askForOne({ ...at(11), firewall_ids: [guard.id] });
      expect(refused.json()).toMatchObject(lacking('publicFirewalls'));
      const [open, guarded] = await Promise.all([
        place.create(at(11)),
        place.create({ ...at(12), ...noPublic, firewall_ids: [guard.id] }),
      ]);
      for (const range of ['10.20.0', '10.30.0']) {
        await has(open, `${range}.11`);
        await has(guarded, `${range}.12`);
        await expect.poll(() => pings(guarded, `${range}.11`), PATIENCE).toBe(true);
        await expect.poll(() => fetches(open, `${range}.12`), PATIENCE).toBe(true);
        expect(await pings(open, `${range}.12`)).toBe(false);
      }

      const trusted = await followsMembers(guard, open);
      await change(`firewalls/${guard.id}/rules`, ping);
      for (const range of ['10.20.0', '10.30.0'])
        await expect.poll(() => pings(open, `${range}.12`), PATIENCE).toBe(true);
      const muted = await followsLabels(guarded, open);
      const closed = await firewall(place, { name: 'closed' });
      await change(`firewalls/${closed.id}/attachments`, { target: { type: 'network', id: back } });
      expect(await pings(guarded, '10.30.0.11')).toBe(false);
      expect(await pings(guarded, '10.20.0.11')).toBe(true);
      expect((await place.vps.readVm(open.id)).interfaces.map((each) => each.firewall_ids)).toEqual([
        [],
        [],
        [closed.id],
      ]);

      const { id: ip_id, block } = await place.vps.reserveAddress({ location: LOCATION });
      const [address] = block.split('/');
      const toGuarded = await place.vps.send('POST', `vms/${guarded.id}/public-ips`, { ip_id });
      expect(toGuarded.json()).toMatchObject(lacking('publicFirewalls'));
      await change(`vms/${open.id}/public-ips`, { ip_id });
      await place.exec(open.id, ['ip', 'addr', 'add', `${address}/32`, 'dev', 'eth0']);
      const answers = () => started.daemon.fetch(`http://${address}/`).catch(() => null);
      await expect.poll(answers, PATIENCE).toContain(open.hostname);
      await done(place, await place.act('DELETE', `vms/${open.id}/public-ips/${ip_id}`));
      await expect.poll(answers, PATIENCE).toBeNull();
      expect(await started.daemon.fetch(`http://${open.primary_ipv4}/`)).toContain(open.hostname);

      expect(await written()).toContain(guard.id);
      await place.removeAll();
      for (const id of [front, back]) await done(place, await place.act('DELETE', `networks/${id}`));
      for (const { id } of [guard, closed, trusted, muted])
        await done(place, await place.act('DELETE', `firewalls/${id}?detach=true`));
      const { data } = (await stranger.send('GET', 'networks')).json<{ data: { id: string }[] }>();
      for (const { id } of data) await stranger.send('DELETE', `networks/${id}`);
      await expect.poll(written, PATIENCE).toBe('');
    }, 600_000);
  },
);

for (const kind of engineKinds) {
  const reason = whyNoIncus(kind);
  describe.skipIf(reason !== null)(
    `a customer on bridges of ${kind}${reason === null ? '' : `: ${reason}`}`,
    () => {
      let place: Place;
      beforeAll(async () => {
        const daemon = await startDaemon(kind);
        await furnishForDemo(daemon);
        place = await Place.on(daemon);
      });
      afterAll(() => place?.close());

      it('409: a firewall is refused before anything is created', async () => {
        const { id } = await firewall(place, { name: 'guard', rules: [web] });
        const networks = [{ network_id: await network(place, 'backend', '10.20.0.0/24') }];
        const inPublic = await place.askForOne({ firewall_ids: [id] });
        expect(inPublic.json()).toMatchObject(lacking('publicFirewalls'));
        expect(inPublic.json<{ detail: string }>().detail).toContain('Use a firewall inside the machine');
        const inside = await place.askForOne({ networks, ...noPublic, firewall_ids: [id] });
        expect(inside.json()).toMatchObject(lacking('privateFirewalls'));
        const target = { type: 'network', id: networks[0]?.network_id };
        const empty = await place.vps.send('POST', `firewalls/${id}/attachments`, { target });
        expect(empty.json()).toMatchObject(lacking('privateFirewalls'));
        expect(await place.instances()).toEqual([]);
        expect((await place.vps.send('GET', `firewalls/${id}`)).json()).toMatchObject({
          status: 'active',
          attachments: [],
          vm_count: 0,
        });
      });
    },
  );
}
