/** Finds and locks what a firewall is to be attached to. */
import type { Call } from '../../../kernel/call.ts';
import { parseLabelSelector, type Selector } from '../../../kernel/pages/label-selector.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { requireFilter } from '../firewalls/checks.ts';
import type { NewAttachment } from '../firewalls/schema.ts';
import { readInterface } from '../interfaces/store.ts';
import { lockNetwork } from '../networks/store.ts';
import { lockVmIfThere } from '../vms/store.ts';

/** The columns of an attachment that say what it is attached to. */
interface TargetColumns {
  readonly vm_id: string | null;
  readonly interface_id: string | null;
  readonly network_id: string | null;
  readonly selector: string | null;
  readonly terms: Selector | null;
}

const NOTHING: TargetColumns = {
  vm_id: null,
  interface_id: null,
  network_id: null,
  selector: null,
  terms: null,
};

const unknown = (what: string, where: 'account' | 'machine' = 'account') =>
  invalid([
    {
      pointer: '/target/id',
      code: 'unknown_reference',
      detail: `There is no such ${what} in this ${where}.`,
    },
  ]);

/** What is being deleted counts as gone: the firewall would protect nothing. */
const isThere = (row: { readonly status: string } | undefined): boolean =>
  row !== undefined && row.status !== 'deleting' && row.status !== 'detaching';

interface Target {
  readonly columns: TargetColumns;
  /** The machine of the interface. */
  readonly interface_vm: string | null;
}

const target = (columns: Partial<TargetColumns>, interface_vm: string | null = null): Target => ({
  columns: { ...NOTHING, ...columns },
  interface_vm,
});

/**
 * Throws 422 if the account does not have the target, and 409 if no machine in the network could have a firewall, even
 * if there is none yet.
 */
export async function lockTarget(
  { db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>,
  wanted: NewAttachment['target'],
): Promise<Target> {
  const account = caller.account.id;
  switch (wanted.type) {
    case 'label_selector': {
      const terms = parseLabelSelector(wanted.selector, '/target/selector');
      return target({ selector: wanted.selector, terms });
    }
    case 'vm':
      if (!isThere(await lockVmIfThere(db, account, wanted.id))) throw unknown('machine');
      return target({ vm_id: wanted.id });
    case 'interface': {
      const seen = await readInterface(db, wanted.id);
      if (seen?.account_id !== account) throw unknown('interface');
      if (wanted.vm_id !== undefined && wanted.vm_id !== seen.vm_id) throw unknown('interface', 'machine');
      await lockVmIfThere(db, account, seen.vm_id);
      if (!isThere(await readInterface(db, wanted.id))) throw unknown('interface');
      return target({ interface_id: wanted.id }, seen.vm_id);
    }
    case 'network': {
      const network = await lockNetwork(db, account, wanted.id);
      if (network === undefined || !isThere(network)) throw unknown('network');
      requireFilter(services, network.location, 'private');
      return target({ network_id: wanted.id });
    }
  }
}
