/** Firewalls on OVN, proved with packets between real machines. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { useTestDatabase } from '../../../../testing/database.ts';
import { type OvnHarness, openOvn } from '../../../../testing/incus/ovn-harness.ts';
import { probeOf } from '../../../../testing/incus/probe.ts';
import { whyNoOvn } from '../../../../testing/incus/programs.ts';
import { type Program, talkOf } from '../../../../testing/incus/talk.ts';
import { firewallSpec, memberOf, pingRule } from '../../contract/firewalls.ts';
import { Lab } from '../../contract/lab.ts';
import type { FirewallRule } from '../../firewall.ts';
import type { Nic, Ref } from '../../instance.ts';
import { pathOf } from '../driver-context.ts';
import { projectOf } from '../names.ts';
import { Northbound } from './northbound.ts';

const reason = whyNoOvn();
const SOON = { timeout: 120_000 };
const V6 = 'fd12:3456:789a:1::/64';

describe.skipIf(reason !== null)(`firewalls on OVN${reason === null ? '' : `: ${reason}`}`, () => {
  const database = useTestDatabase();
  let harness: OvnHarness;
  let lab: Lab;
  beforeAll(async () => {
    harness = await openOvn(database.db);
    lab = new Lab(harness);
  });
  const programs: Program[] = [];
  afterEach(async () => {
    for (const program of programs.splice(0)) program.end();
    await lab.clear();
  });
  afterAll(() => harness?.close());

  const { succeeds, reaches, hasAddress, gives } = probeOf(() => harness);
  const talk = talkOf(() => harness);
  const started = async (program: Promise<Program>): Promise<Program> => {
    programs.push(await program);
    return program;
  };

  async function runningIn(net: Ref, last: number, hasV6 = true) {
    const [ipv4, ipv6] = [`10.20.0.${last}`, `fd12:3456:789a:1::${last}`];
    const nic = lab.nic({ network: net.id, ipv4, ipv6: hasV6 ? ipv6 : null });
    const ref = await lab.running({ nics: [nic] });
    await expect.poll(() => hasAddress(ref, ipv4), SOON).toBe(true);
    return { ref, nic, ipv4, ipv6 };
  }

  /** A web server, which runs until the machine stops. */
  const serve = (ref: Ref, port: number) => succeeds(ref, `httpd -p ${port} -h /root`);
  const connects = (from: Ref, address: string, port: number) =>
    succeeds(from, `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${address} ${port} | grep -q HTTP`);
  const tcp = (port: number, more: Partial<FirewallRule> = {}) =>
    pingRule({ protocol: 'tcp', ports: [{ from: port, to: port }], ...more });
  const member = (ref: Ref, nic: Nic) => ({ ...memberOf(ref, nic), addresses: [nic.ipv4!, nic.ipv6!] });

  it('let allowed connections pass and drop others, over IPv4 and IPv6', async () => {
    const net = await lab.network({ ipv6Cidr: V6 });
    const [server, client] = await Promise.all([runningIn(net, 11), runningIn(net, 12)]);
    for (const port of [8080, 8081]) await serve(server.ref, port);
    await expect.poll(() => connects(client.ref, server.ipv4, 8080), SOON).toBe(true);
    await expect.poll(() => connects(client.ref, server.ipv4, 8081), SOON).toBe(true);
    await expect.poll(() => reaches(client.ref, server.ipv6), SOON).toBe(true);
    const fw = lab.ref('fw');
    const members = [member(server.ref, server.nic)];
    await harness.engine.ensureFirewall(fw, firewallSpec({ members, rules: [tcp(8080)] }));
    expect(await connects(client.ref, server.ipv4, 8081)).toBe(false);
    expect(await reaches(client.ref, server.ipv4)).toBe(false);
    expect(await reaches(client.ref, server.ipv6)).toBe(false);
    await expect.poll(() => connects(client.ref, server.ipv4, 8080), SOON).toBe(true);
    // Answers to what the member opens pass.
    await expect.poll(() => reaches(server.ref, client.ipv4), SOON).toBe(true);
    await expect.poll(() => reaches(server.ref, client.ipv6), SOON).toBe(true);
    const icmp = [pingRule(), pingRule({ protocol: 'icmpv6' })];
    await harness.engine.ensureFirewall(fw, firewallSpec({ members, rules: icmp }));
    await expect.poll(() => reaches(client.ref, server.ipv4), SOON).toBe(true);
    await expect.poll(() => reaches(client.ref, server.ipv6), SOON).toBe(true);
    expect(await connects(client.ref, server.ipv4, 8080)).toBe(false);
  });

  /** The id of the first process of a machine, which is another one after a restart. */
  async function processOf(ref: Ref): Promise<number> {
    const ask = { project: projectOf(ref) };
    return (await harness.daemon.client.ask<{ pid: number }>('GET', `${pathOf(ref)}/state`, ask)).pid;
  }

  it('apply from the first packet after a restart outside Hostplane', async () => {
    const net = await lab.network({ ipv6Cidr: V6 });
    const [server, client] = await Promise.all([runningIn(net, 11), runningIn(net, 12)]);
    await expect.poll(() => reaches(client.ref, server.ipv4), SOON).toBe(true);
    const members = [member(server.ref, server.nic)];
    const spec = firewallSpec({ members, defaultOut: 'drop' });
    await harness.engine.ensureFirewall(lab.ref('fw'), spec);
    const before = await processOf(server.ref);
    await harness.execInside(server.ref, ['reboot']);
    // First it still runs, then it has no process.
    await expect.poll(() => processOf(server.ref), SOON).not.toBeOneOf([before, 0]);
    // The member may drop everything, and gets its addresses all the same.
    await expect.poll(() => hasAddress(server.ref, server.ipv4).catch(() => false), SOON).toBe(true);
    expect(await reaches(client.ref, server.ipv4)).toBe(false);
    expect(await reaches(server.ref, client.ipv4)).toBe(false);
  });

  /** Stops the program that brings rules to the server, as if the server were slow. */
  async function stopController(): Promise<() => void> {
    const { folder } = harness.daemon;
    const files = await readdir(folder, { recursive: true });
    const file = files.find((each) => /(^|\/)ovn-controller[^/]*\.pid$/.test(each));
    const pid = Number(await readFile(join(folder, file ?? 'ovn-controller.pid'), 'utf8'));
    process.kill(pid, 'SIGSTOP');
    return () => process.kill(pid, 'SIGCONT');
  }

  it('are not in force before a slow server has them', async () => {
    const net = await lab.network();
    const { ref, nic } = await runningIn(net, 11, false);
    const fw = lab.ref('fw');
    const spec = firewallSpec({ members: [memberOf(ref, nic)] });
    const apply = () => harness.engine.ensureFirewall(fw, spec);
    const goOn = await stopController();
    try {
      for (let i = 0; i < 2; i++) await expect(apply()).rejects.toThrow('does not have the firewall yet');
      expect(await harness.engine.observeFirewall(fw)).toBeNull();
    } finally {
      goOn();
    }
    await expect
      .poll(
        () =>
          apply().then(
            () => true,
            () => false,
          ),
        SOON,
      )
      .toBe(true);
    expect(await harness.engine.observeFirewall(fw)).toMatchObject(fw);
  });

  it('keep an open connection through an unrelated change, and cut it by a change that forbids it', async () => {
    const net = await lab.network();
    const [server, client] = await Promise.all([runningIn(net, 11, false), runningIn(net, 12, false)]);
    const fw = lab.ref('fw');
    const members = [memberOf(server.ref, server.nic)];
    const apply = (...rules: FirewallRule[]) =>
      harness.engine.ensureFirewall(fw, firewallSpec({ members, rules }));
    await apply(tcp(7080), tcp(7081));
    for (const port of [7080, 7081]) await started(talk.echo(server.ref, port));
    const open = await started(talk.connection(client.ref, server.ipv4, 7080));
    const other = await started(talk.connection(client.ref, server.ipv4, 7081));
    const passes = async (connection: Program, text: string) => {
      connection.say(text);
      await expect.poll(() => connection.lines, SOON).toContain(text);
    };
    await passes(open, 'before');
    // It is in use all the time.
    const talking = setInterval(() => open.say('meanwhile'), 5);
    try {
      await apply(tcp(7080), tcp(7081), tcp(443));
    } finally {
      clearInterval(talking);
    }
    await passes(open, 'after');
    await apply(tcp(7081), tcp(443));
    open.say('dropped');
    for (const text of ['one', 'two', 'three']) await passes(other, text);
    expect(open.lines.filter((line) => line !== 'meanwhile')).toEqual(['ready', 'before', 'after']);
    // The sender repeats what got no answer.
    await apply(tcp(7080), tcp(7081));
    await expect.poll(() => open.lines, SOON).toContain('dropped');
  });

  it('drop forbidden packets while their rules change', async () => {
    const net = await lab.network();
    const [server, client] = await Promise.all([runningIn(net, 11, false), runningIn(net, 12, false)]);
    const receiver = await started(talk.datagrams(server.ref, 5000, 5001));
    const sender = await started(talk.datagrams(client.ref, 5353));
    const fw = lab.ref('fw');
    const members = [memberOf(server.ref, server.nic)];
    const udp = pingRule({ protocol: 'udp', ports: [{ from: 5001, to: 5001 }] });
    const apply = (n: number) =>
      harness.engine.ensureFirewall(fw, firewallSpec({ members, rules: [udp, tcp(7000 + n)] }));
    await apply(0);
    const flood = setInterval(() => {
      sender.say(`${server.ipv4} 5000 closed`);
      sender.say(`${server.ipv4} 5001 open`);
    }, 1);
    const arrived = () => receiver.lines.filter((line) => line === '5001 open').length;
    try {
      for (let n = 1; n <= 10; n++) {
        await apply(n);
        const before = arrived();
        await expect.poll(arrived, SOON).toBeGreaterThan(before);
      }
    } finally {
      clearInterval(flood);
    }
    expect(receiver.lines).not.toContain('5000 closed');
  });

  it('also drop UDP packets from the port of name servers, but pass answers of name servers', async () => {
    const net = await lab.network();
    const [server, client] = await Promise.all([runningIn(net, 11, false), runningIn(net, 12, false)]);
    const receiver = await started(talk.datagrams(server.ref, 5000, 5001));
    const resolver = await started(talk.datagrams(client.ref, 53));
    const usual = await started(talk.datagrams(client.ref, 5353));
    const arrives = (from: Program, port: number, text: string) =>
      expect
        .poll(() => {
          from.say(`${server.ipv4} ${port} ${text}`);
          return receiver.lines;
        }, SOON)
        .toContain(`${port} ${text}`);
    await arrives(resolver, 5000, 'open');
    const rules = [pingRule({ protocol: 'udp', ports: [{ from: 5001, to: 5001 }] })];
    await harness.engine.ensureFirewall(
      lab.ref('fw'),
      firewallSpec({ members: [memberOf(server.ref, server.nic)], rules }),
    );
    for (const text of ['one', 'two', 'three']) {
      resolver.say(`${server.ipv4} 5000 closed`);
      await arrives(usual, 5001, text);
    }
    expect(receiver.lines).not.toContain('5000 closed');
    await expect
      .poll(() => {
        receiver.say(`${client.ipv4} 53 question`);
        return receiver.lines;
      }, SOON)
      .toContain('5000 answer');
  });

  it('drop packets with a foreign source address even if they allow all, over IPv4 and IPv6', async () => {
    const net = await lab.network({ ipv6Cidr: V6 });
    const [sender, other] = await Promise.all([runningIn(net, 11), runningIn(net, 12)]);
    const all = pingRule({ direction: 'out', protocol: 'any' });
    await harness.engine.ensureFirewall(
      lab.ref('fw'),
      firewallSpec({ members: [member(sender.ref, sender.nic)], defaultIn: 'allow', rules: [all] }),
    );
    const foreign = ['10.20.0.77', 'fd12:3456:789a:1::77'] as const;
    await gives(sender.ref, 'eth0', foreign);
    await expect.poll(() => reaches(sender.ref, other.ipv4), SOON).toBe(true);
    await expect.poll(() => reaches(sender.ref, other.ipv6, sender.ipv6), SOON).toBe(true);
    // Counted at the receiver: a missing answer alone could also mean that the answer was lost.
    const count = "(grep '^Icmp:' /proc/net/snmp; grep '^Icmp6InEchos ' /proc/net/snmp6)";
    const isSameCount = () => succeeds(other.ref, `${count} | cmp -s - /root/count`);
    expect(await succeeds(other.ref, `${count} > /root/count`)).toBe(true);
    expect(await reaches(sender.ref, other.ipv4, foreign[0])).toBe(false);
    expect(await reaches(sender.ref, other.ipv6, foreign[1])).toBe(false);
    expect(await isSameCount()).toBe(true);
    expect(await reaches(sender.ref, other.ipv4)).toBe(true);
    expect(await isSameCount()).toBe(false);
  });

  it('remove rules that an interrupted change has written in a network', async () => {
    const range = { ipv4Cidr: '10.21.0.0/24', ipv4Gateway: '10.21.0.1' };
    const [net, other] = [await lab.network(), await lab.network(range)];
    const nics = [
      lab.nic({ network: net.id, ipv4: '10.20.0.11' }),
      lab.nic({ index: 1, network: other.id, ipv4: '10.21.0.11' }),
    ] as const;
    const ref = await lab.stopped({ nics });
    const [inside, further] = [memberOf(ref, nics[0]), memberOf(ref, nics[1])];
    const fw = lab.ref('fw');
    await harness.engine.ensureFirewall(fw, firewallSpec({ members: [inside] }));
    // The rules of all networks are written, and then the driver dies.
    const { northbound } = harness.engine.site;
    const dying = vi.spyOn(northbound!, 'change').mockImplementation(async (operations, signal) => {
      if (JSON.stringify(operations).includes('hostplane-note')) throw new Error('It died.');
      return Northbound.prototype.change.call(northbound, operations, signal);
    });
    const both = firewallSpec({ members: [inside, further] });
    await expect(harness.engine.ensureFirewall(fw, both)).rejects.toThrow('It died.');
    dying.mockRestore();
    const left = firewallSpec({ members: [inside] });
    await harness.engine.ensureFirewall(fw, left);
    expect(await harness.engine.observeFirewall(fw)).toEqual({ ...left, ...fw });
    const sets = await northbound?.find('Address_Set', [], ['addresses']);
    expect(JSON.stringify(sets)).not.toContain('10.21.0.11');
  });

  it('are observed as missing if their rules are removed at the engine, can be written again, and are removed without leftovers', async () => {
    const net = await lab.network();
    const { ref, nic } = await runningIn(net, 11, false);
    const fw = lab.ref('fw');
    const spec = firewallSpec({ members: [memberOf(ref, nic)], rules: [tcp(22)] });
    await harness.engine.ensureFirewall(fw, spec);
    const { northbound } = harness.engine.site;
    const groups = await northbound?.find('Port_Group', [], ['acls']);
    const [group] = groups ?? [];
    await northbound?.change([
      {
        op: 'update',
        table: 'Port_Group',
        where: [['_uuid', '==', group?._uuid]],
        row: { acls: ['set', []] },
      },
    ]);
    expect(await harness.engine.observeFirewall(fw)).toBeNull();
    await harness.engine.ensureFirewall(fw, { ...spec, revision: spec.revision + 1000 });
    expect(await harness.engine.observeFirewall(fw)).toMatchObject({ rules: spec.rules });
    await harness.engine.removeFirewall(fw);
    expect(
      await northbound?.find('Address_Set', [['name', '!=', '']], ['name', 'external_ids']),
    ).not.toContainEqual(expect.objectContaining({ name: expect.stringMatching(/^hostplane_/) }));
  });
});
