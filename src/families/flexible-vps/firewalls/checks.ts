/** Checks that calls share which change firewalls, or the machines that have them. */
import { requireCapability } from '../../../engines/engine-call.ts';
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { readCovered, readLoad, type Scope } from './members/store.ts';
import { MOST_ENTRIES } from './rules.ts';
import { countEntries, lockFirewalls } from './store.ts';
import type { StoredRule } from './table.ts';

type Asking = Pick<Call, 'db' | 'caller' | 'services' | 'event'>;

const capabilities = { public: 'publicFirewalls', private: 'privateFirewalls' } as const;

/** Throws 409 with the reason of the driver. */
export function requireFilter({ compute }: Services, location: string, kind: 'public' | 'private'): void {
  requireCapability(compute, location, capabilities[kind]);
}

/**
 * Throws 422 if the rules of all firewalls are too many entries for one of the machines. Most accounts have fewer in all
 * their firewalls, so that the machines need not be looked at.
 */
export async function requireEntries(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  scope: Scope,
  pointer: string,
): Promise<void> {
  if ((await countEntries(db, caller.account.id)) <= MOST_ENTRIES) return;
  const { entries } = await readLoad(db, scope);
  if (entries <= MOST_ENTRIES) return;
  const detail = `A machine would have ${entries} entries, each port range with each remote counted once; ${MOST_ENTRIES} are the most.`;
  throw invalid([{ pointer, code: 'too_many', detail }]);
}

/** After the rows are written: whether the machines may have all firewalls that they have now. */
export async function requireCoverable(call: Asking, scope: Scope, pointer: string): Promise<void> {
  for (const { location, kind } of await readCovered(call.db, scope))
    requireFilter(call.services, location, kind);
  const { firewalls, entries } = await readLoad(call.db, scope);
  const parent = 'vmId' in scope ? scope.vmId : scope.firewallId;
  if (firewalls > 0)
    await requireRoomIn(call, 'flexible-vps.firewalls-per-vm', parent, {
      before: firewalls - 1,
      after: firewalls,
    });
  if (entries > MOST_ENTRIES) await requireEntries(call, scope, pointer);
}

/** The firewalls that rules name have to be in the account. `own` is the firewall that has the rules. */
export async function unknownRemotes(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  rules: readonly Pick<StoredRule, 'remote_firewall_ids'>[],
  wanted: readonly { readonly remote_firewall_ids?: readonly string[] }[],
  pointerOf: (rule: number) => string,
): Promise<FieldError[]> {
  const ids = [...new Set(rules.flatMap(({ remote_firewall_ids }) => remote_firewall_ids))];
  if (ids.length === 0) return [];
  const rows = await lockFirewalls(db, caller.account.id, ids);
  const known = new Set(rows.filter(({ status }) => status !== 'deleting').map(({ id }) => id));
  return wanted.flatMap(({ remote_firewall_ids = [] }, i) =>
    remote_firewall_ids.flatMap((id, j) =>
      known.has(id)
        ? []
        : [
            {
              pointer: `${pointerOf(i)}/remote_firewall_ids/${j}`,
              code: 'unknown_reference' as const,
              detail: 'There is no such firewall in this account.',
            },
          ],
    ),
  );
}
