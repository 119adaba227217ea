/** The nameserver of a sandbox: it has a zone for every address, and keeps the records in a table. */
import { parseAddress } from '../../../kernel/net/address.ts';
import { cidrContains, parseCidr } from '../../../kernel/net/cidr.ts';
import type { Db } from '../../../store/database.ts';
import { SandboxCore } from '../../sandbox/core.ts';
import { StateStore } from '../../sandbox/store.ts';
import type { ReverseDns, SeenPtr } from '../port.ts';
import type { CallName } from './faults.ts';

interface StoredPtr {
  readonly hostnames: readonly string[];
  readonly ttlSeconds: number;
}

export interface DnsSandbox {
  readonly call: CallName;
  readonly states: { readonly ptr: StoredPtr };
  readonly effect: never;
  readonly task: never;
  readonly fixtures: null;
}

/** The zones belong to the provider, so the records belong to no account. */
const nameOf = (address: string) => ({ project: '', id: address });
const targetOf = (address: string) => ({ account: null, id: address });

export class SandboxDns implements ReverseDns {
  readonly driver = 'sandbox';
  readonly location: string;
  readonly capabilities = {};
  readonly core: SandboxCore<DnsSandbox>;

  constructor(db: Db, location: string) {
    this.location = location;
    this.core = new SandboxCore<DnsSandbox>({
      store: new StateStore(db, location),
      fixtures: null,
      times: {},
      pace: 0,
      channel: 'hostplane_sandbox_dns',
      async remove(store, name) {
        const isThere = (await store.lock('ptr', name)) !== null;
        await store.delete('ptr', name);
        return isThere;
      },
    });
  }

  ensurePtr: ReverseDns['ensurePtr'] = (address, { hostname, ttlSeconds }, signal) =>
    this.core.perform('ensurePtr', targetOf(address), signal, () =>
      this.write(address, { hostnames: [hostname], ttlSeconds }),
    );

  removePtr: ReverseDns['removePtr'] = (address, signal) =>
    this.core.perform('removePtr', targetOf(address), signal, () =>
      this.core.store.delete('ptr', nameOf(address)),
    );

  observePtr: ReverseDns['observePtr'] = (address, signal) =>
    this.core.observe('observePtr', targetOf(address), signal, async () => {
      const found = await this.core.store.find('ptr', nameOf(address));
      return found && { address, ...found };
    });

  observePtrs: ReverseDns['observePtrs'] = (range, signal) =>
    this.core.read('observePtrs', null, signal, async (): Promise<SeenPtr[]> => {
      const asked = parseCidr(range)?.cidr;
      return (await this.core.store.list('ptr')).flatMap(({ id, state }) => {
        const address = parseAddress(id);
        return asked && address && cidrContains(asked, address) ? [{ address: id, ...state }] : [];
      });
    });

  /** The sandbox simulates a nameserver, not the DNS of the world. */
  lookUp: ReverseDns['lookUp'] = (_, signal) => this.core.read('lookUp', null, signal, async () => null);

  /** Also what somebody else writes at the nameserver. */
  write(address: string, record: StoredPtr): Promise<void> {
    return this.core.store.transact(async (store) => {
      const name = nameOf(address);
      if ((await store.lock('ptr', name)) === null) await store.insert('ptr', name, record);
      else await store.update('ptr', name, record);
    });
  }

  close = (): Promise<void> => this.core.close();
}
