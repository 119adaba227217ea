/** Adds firewall rules by hand, in two ways: one change of OVN's database, and the engine's own REST calls. */

import { labels } from '../src/engines/compute/incus/ovn/groups.ts';
import {
  isNamed,
  Northbound,
  named,
  type Row,
  readMap,
  setOf,
  uuid,
} from '../src/engines/compute/incus/ovn/northbound.ts';
import type { TestDaemon } from '../src/testing/incus/daemon.ts';
import { POOL } from '../src/testing/incus/furnish.ts';
import { UPLINK } from '../src/testing/incus/ovn.ts';
import { SYSTEM } from '../src/testing/incus/provider.ts';

const TABLE = 'ACL';

/** As somebody would who knows what Hostplane writes: one change, then the wait. */
export class RuleHands {
  readonly #northbound: Northbound;
  #example: Row = {};
  #group = '';
  #port = 0;

  constructor(remote: string) {
    this.#northbound = new Northbound({ remotes: [remote], credentials: null });
  }

  close(): void {
    this.#northbound.close();
  }

  /** Copies the rule of Hostplane that is about this port. */
  async learn(port: number): Promise<void> {
    const columns = ['direction', 'priority', 'match', 'action', 'external_ids'];
    const rows = await this.#northbound.find(TABLE, [], columns);
    const found = rows.find(({ match }) => String(match).includes(`tcp.dst == ${port}`));
    if (found === undefined) throw new Error('Hostplane has not written the rule.');
    const { _uuid, external_ids, ...example } = found;
    this.#example = example;
    this.#group = readMap(external_ids)[labels.group] ?? '';
    this.#port = port;
  }

  /** Returns when the rule is in force. */
  async add(port: number): Promise<string> {
    const match = String(this.#example['match']).replace(`== ${this.#port}`, `== ${port}`);
    const row = { ...this.#example, match };
    const [inserted] = await this.#northbound.changeAndSettle([
      { op: 'insert', table: TABLE, row, 'uuid-name': 'rule' },
      this.#change('insert', named('rule')),
    ]);
    return (inserted?.['uuid'] as readonly string[] | undefined)?.[1] ?? '';
  }

  async remove(id: string): Promise<void> {
    await this.#northbound.changeAndSettle([this.#change('delete', uuid(id))]);
  }

  #change(how: 'insert' | 'delete', rule: unknown) {
    const mutations = [['acls', how, setOf([rule])]];
    return { op: 'mutate', table: 'Port_Group', where: [isNamed(this.#group)], mutations };
  }
}

const NAME = 'by-hand';
const ACL = `/1.0/network-acls/${NAME}`;

interface RawAcl {
  readonly ingress: readonly { readonly destination_port: string }[];
}

/** As somebody would who uses the engine's own firewalls: a network with an ACL, and a machine in it. */
export class AclHands {
  readonly #client: TestDaemon['client'];
  readonly #northbound: Northbound;

  constructor({ client }: TestDaemon, remote: string) {
    this.#client = client;
    this.#northbound = new Northbound({ remotes: [remote], credentials: null });
  }

  close(): void {
    this.#northbound.close();
  }

  async prepare(): Promise<void> {
    await this.#client.run('POST', '/1.0/network-acls', { body: { name: NAME } });
    const config = {
      network: UPLINK,
      'ipv4.address': '10.30.0.1/24',
      'ipv4.nat': 'true',
      'ipv6.address': 'none',
      'security.acls': NAME,
    };
    await this.#client.run('POST', '/1.0/networks', { body: { name: NAME, type: 'ovn', config } });
    const devices = {
      root: { type: 'disk', pool: POOL, path: '/' },
      eth0: { type: 'nic', network: NAME },
    };
    const source = { type: 'image', alias: SYSTEM };
    const body = { name: NAME, profiles: [], devices, source, start: true };
    await this.#client.run('POST', '/1.0/instances', { body });
  }

  /** Returns when the rule is in force. */
  async add(port: number): Promise<string> {
    const rule = { action: 'allow', state: 'enabled', protocol: 'tcp', destination_port: String(port) };
    await this.#change((rules) => [...rules, rule]);
    return String(port);
  }

  remove = (port: string): Promise<void> =>
    this.#change((rules) => rules.filter(({ destination_port }) => destination_port !== port));

  async #change(change: (rules: RawAcl['ingress']) => RawAcl['ingress']): Promise<void> {
    const { value, mark } = await this.#client.askWithMark<RawAcl>(ACL);
    const body = { ...value, ingress: change(value.ingress) };
    await this.#client.run('PUT', ACL, { body, headers: { 'if-match': mark } });
    await this.#northbound.settle();
  }
}
