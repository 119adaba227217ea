/** Finds and locks what a firewall is to be attached to. */
import type { Call } from '../../../kernel/call.ts';
import { parseLabelSelector, type Selector } from '../../../kernel/pages/label-selector.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { readInterface } from '../interfaces/store.ts';
import { lockNetwork } from '../networks/store.ts';
import { lockVmIfThere } from '../vms/store.ts';
import type { NewAttachment } from './schema.ts';

/** The columns of an attachment that say what it is attached to. */
export interface TargetColumns {
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

const unknown = (what: string) =>
  invalid([
    {
      pointer: '/target/id',
      code: 'unknown_reference',
      detail: `There is no such ${what} in this account.`,
    },
  ]);

/** What is being deleted counts as gone: the firewall would protect nothing. */
const isThere = (row: { readonly status: string } | undefined): boolean =>
  row !== undefined && row.status !== 'deleting' && row.status !== 'detaching';

/** Throws 422 if the account does not have the target. */
export async function lockTarget(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  target: NewAttachment['target'],
): Promise<TargetColumns> {
  const account = caller.account.id;
  switch (target.type) {
    case 'label_selector':
      return {
        ...NOTHING,
        selector: target.selector,
        terms: parseLabelSelector(target.selector, '/target/selector'),
      };
    case 'vm':
      if (!isThere(await lockVmIfThere(db, account, target.id))) throw unknown('machine');
      return { ...NOTHING, vm_id: target.id };
    case 'interface': {
      const seen = await readInterface(db, target.id);
      if (seen?.account_id !== account) throw unknown('interface');
      await lockVmIfThere(db, account, seen.vm_id);
      if (!isThere(await readInterface(db, target.id))) throw unknown('interface');
      return { ...NOTHING, interface_id: target.id };
    }
    case 'network':
      if (!isThere(await lockNetwork(db, account, target.id))) throw unknown('network');
      return { ...NOTHING, network_id: target.id };
  }
}
