import { isIPv6 } from 'node:net';
import { requireCapability } from '../../../engines/engine-call.ts';
import { canonicalJson } from '../../../kernel/audit/canonical-json.ts';
import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { Call } from '../../../kernel/call.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { updateNetworkKind } from './kinds.ts';
import { networkLife } from './lifecycle.ts';
import { networkView } from './present.ts';
import { networks } from './resource.ts';
import { changedSettings, routesFaults } from './rules.ts';
import { NetworkChange, type Settings } from './schema.ts';
import { countUsed } from './store.ts';
import type { NetworkRow } from './table.ts';

const settingsOf = ({ nat, dns, routes }: NetworkRow): Settings => ({
  nat,
  dns: { servers: [...dns.servers], domain: dns.domain },
  routes: [...routes],
});

/** The members that only the control plane stores; the engine does not get them. */
const keptOf = ({ name, labels, description, protected: isProtected }: NetworkRow) => ({
  name,
  labels,
  description,
  protection: { delete: isProtected },
});

type Kept = ReturnType<typeof keptOf>;

const changedKept = (now: Kept, body: NetworkChange): Kept => ({
  name: body.name ?? now.name,
  labels: mergeLabels(now.labels, body.labels),
  description: body.description ?? now.description,
  protection: { delete: body.protection?.delete ?? now.protection.delete },
});

/** Whether the pending operation already applies exactly these settings. */
function isUnderWay(operation: StoredOperation | undefined, wanted: Settings): boolean {
  return (
    operation?.type === updateNetworkKind.type && canonicalJson(operation.input) === canonicalJson(wanted)
  );
}

/** Settings can only be changed while the network is active; the other members also while it is in `error`. */
function requireState(row: NetworkRow, operation: StoredOperation | undefined, changesEngine: boolean): void {
  networkLife.require('updateVpsNetwork', row.status, { operation });
  if (!changesEngine || row.status === 'active') return;
  throw new Problem('invalid_state', {
    detail: `The network is ${row.status}; NAT, DNS and routes can only be changed while it is active.`,
    extra: { current_state: row.status, allowed_states: ['active'] },
  });
}

type UpdateCall = Call<{ id: string }, unknown, NetworkChange>;

async function takeAndCheck(call: UpdateCall): Promise<NetworkRow> {
  const { params, body } = call;
  const row = await networks.take(call, params.id);
  const routes = body.routes ?? [];
  const misled = routesFaults(routes, row);
  if (misled.length > 0) throw invalid(misled);
  if (routes.some(({ next_hop }) => isIPv6(next_hop)))
    requireCapability(call.services.compute, row.location, 'ipv6Routes');
  return row;
}

export const updateVpsNetwork = writeOf(networkView, 'update', {
  id: 'updateVpsNetwork',
  summary: 'Change a private network',
  description:
    'Name, labels, description and protection change at once. NAT, DNS and routes are shown once they are in effect; if the change fails, the network keeps its old settings. `labels`, `nat` and `dns` are merged with the present values; the arrays `routes` and `dns.servers` are replaced as a whole.',
  body: NetworkChange,
  problems: ['capability_missing', 'name_taken', 'quota_exceeded', 'invalid_state', 'operation_in_progress'],
  kind: updateNetworkKind,
  example: {
    body: {
      nat: { ipv4: false },
      routes: [{ destination: '192.168.50.0/24', next_hop: '10.10.0.20', description: 'Office' }],
    },
    answer: { status: 'updating' },
  },
  async handle(call) {
    const { db, body, effect, event, follow, start } = call;
    const before = await takeAndCheck(call);
    const settings = changedSettings(settingsOf(before), body);
    const kept = changedKept(keptOf(before), body);
    const settingChanges = changesBetween(settingsOf(before), settings);
    const keptChanges = changesBetween(keptOf(before), kept);
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    const answer = async (row: NetworkRow, operation: StoredOperation) => ({
      row: { ...row, ipv4_used: await countUsed(db, row.id) },
      operation,
    });

    if (pending !== undefined && keptChanges.length === 0 && isUnderWay(pending, settings)) {
      effect({ action: 'none', ...networks.ref(before) });
      follow(pending);
      return answer(before, pending);
    }
    const changesEngine = settingChanges.length > 0;
    requireState(before, pending, changesEngine);
    if (kept.name !== before.name) await networks.requireFreeName(call, kept.name);
    await requireRoomIn(call, 'flexible-vps.routes-per-network', before.id, {
      before: before.routes.length,
      after: settings.routes.length,
    });
    const changes = [...keptChanges, ...settingChanges];
    const { protection, ...rest } = kept;
    const row =
      changes.length === 0
        ? before
        : await networks.change(db, before.id, {
            ...rest,
            protected: protection.delete,
            ...(changesEngine ? { status: 'updating' } : {}),
          });
    if (row === undefined) throw new Problem('not_found');
    effect({ action: changes.length === 0 ? 'none' : 'update', ...networks.ref(row), changes });
    if (keptChanges.length > 0) event(networks.event('updated', row));
    const operation = await start({
      kind: updateNetworkKind,
      input: settings,
      resource: networks.ref(row),
      ...(changesEngine ? {} : keptChanges.length > 0 ? { changedAtOnce: true } : { unchanged: true }),
    });
    return answer(row, operation);
  },
});
