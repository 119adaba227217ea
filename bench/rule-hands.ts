/** Adds rules to a network of OVN as somebody would who knows what Hostplane writes: one change, then the wait. */

import {
  isNamed,
  Northbound,
  named,
  type Row,
  readMap,
  setOf,
  uuid,
} from '../src/engines/compute/incus/ovn/northbound.ts';
import { labels } from '../src/engines/compute/incus/ovn/rules.ts';

const TABLE = 'ACL';

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
    const [inserted] = await this.#northbound.change([
      { op: 'insert', table: TABLE, row, 'uuid-name': 'rule' },
      this.#change('insert', named('rule')),
    ]);
    await this.#northbound.settle();
    return (inserted?.['uuid'] as readonly string[] | undefined)?.[1] ?? '';
  }

  async remove(id: string): Promise<void> {
    await this.#northbound.change([this.#change('delete', uuid(id))]);
    await this.#northbound.settle();
  }

  #change(how: 'insert' | 'delete', rule: unknown) {
    const mutations = [['acls', how, setOf([rule])]];
    return { op: 'mutate', table: 'Port_Group', where: [isNamed(this.#group)], mutations };
  }
}
