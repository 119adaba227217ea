/**
 * Staff drops the traffic to an address, for example during an attack, and lets it through again. The holder gets an
 * event and a mail, and sees it at the address. The engine of a machine stops routing the address; in front of other
 * holders, the operator drops the traffic.
 */

import { writeEvents } from '../../kernel/events/write-events.ts';
import type { Kind } from '../../kernel/operations/kind.ts';
import { startOperation } from '../../kernel/operations/operations.ts';
import { invalid, Problem } from '../../kernel/problems/problem.ts';
import type { Registry } from '../../kernel/registry.ts';
import { isMailAddress } from '../../mail/address.ts';
import { sendMail } from '../../mail/outbox.ts';
import type { Db, Tx } from '../../store/database.ts';
import { type Actor, eventActor } from '../actor.ts';
import { pageLink } from '../people/request-context.ts';
import { change } from '../portal-write.ts';
import {
  endReleased,
  findHeld,
  type HeldAddress,
  lockHeld,
  type NullRoutedAddress,
  readRecipients,
  setNullRoute,
} from './store.ts';
import { addressIn } from './who.ts';

export { type HeldAddress, listNullRouted } from './store.ts';

const LONGEST_REASON = 500;
const KIND = 'address.route';

export interface NullRoute {
  readonly address: string;
  readonly until: Date;
  readonly reason: string;
}

export interface NullRouted {
  readonly address: NullRoutedAddress;
  /** Whether an engine applies it; otherwise the operator has to. */
  readonly isByEngine: boolean;
}

const textOf = ({ block }: Pick<HeldAddress, 'block'>): string => block.replace(/\/32$/, '');

function refuseFaults({ until, reason }: NullRoute, now: Date): void {
  if (until <= now)
    throw invalid([{ pointer: '/until', code: 'out_of_range', detail: 'The end has to be in the future.' }]);
  if (reason.trim() === '' || reason.length > LONGEST_REASON) {
    const detail = `Give a reason of at most ${LONGEST_REASON} characters. The customer reads it.`;
    throw invalid([{ pointer: '/reason', code: 'required', detail }]);
  }
}

async function heldAt(db: Db, text: string): Promise<HeldAddress> {
  const found = await findHeld(db, addressIn(text));
  if (found !== undefined) return found;
  throw new Problem('not_found', {
    detail: `No account holds ${text} now.`,
    nextStep: 'Drop the traffic in your router; hostplane admin addresses who shows who had the address.',
  });
}

/** Lets the engine follow the table. A machine that is busy follows when its interfaces are compared. */
async function applyAtEngine(tx: Tx, registry: Registry, actor: Actor, held: HeldAddress): Promise<boolean> {
  const { id, name, account_id: accountId, vm_id } = held;
  const kind = registry.kinds.get(KIND) as unknown as Kind<object> | undefined;
  if (vm_id === null || kind === undefined) return false;
  const start = { kind, input: {}, resource: { type: 'address', id, name }, subjects: [id, vm_id] };
  await startOperation(tx, registry, start, { accountId, actor: eventActor(actor) }).catch(
    (error: unknown) => {
      if (!(error instanceof Problem)) throw error;
    },
  );
  return true;
}

interface Wanted {
  readonly action: 'address.null_route' | 'address.end_null_route';
  readonly route: { readonly reason: string; readonly until: Date } | null;
  readonly event: 'null_routed' | 'null_route_ended';
  readonly says: string;
}

async function route(
  { db, registry, actor }: Desk,
  found: HeldAddress,
  { action, route: wanted, event, says }: Wanted,
  tell?: (tx: Tx, held: HeldAddress, accountName: string) => Promise<void>,
): Promise<NullRouted> {
  const accountId = found.account_id;
  return change(db, actor, action, accountId, async (tx, account) => {
    const held = await lockHeld(tx, found.id, accountId);
    if (held === undefined) throw new Problem('not_found');
    await setNullRoute(tx, held.id, wanted);
    const isByEngine = await applyAtEngine(tx, registry, actor, held);
    const resource = { type: 'address', id: held.id, name: held.name };
    const message = `The address ${textOf(held)} ${says}.`;
    await writeEvents(tx, registry, { accountId, actor: eventActor(actor) }, [
      { type: `address.${event}`, resource, message },
    ]);
    await tell?.(tx, held, account.name);
    const after = wanted === null ? 'normal' : 'null_routed';
    const address = {
      ...held,
      routing: after,
      null_route_reason: wanted?.reason ?? null,
      null_route_until: wanted?.until ?? null,
    } as const;
    const changes = [{ pointer: '/routing', before: held.routing, after }];
    return { result: { address, isByEngine }, resource, changes };
  });
}

/** What the commands of staff work with. */
export interface Desk {
  readonly db: Db;
  readonly registry: Registry;
  readonly actor: Actor;
  /** Where the portal is, for the link in the mail. */
  readonly origin: string;
}

export async function nullRoute(desk: Desk, wanted: NullRoute, now = new Date()): Promise<NullRouted> {
  refuseFaults(wanted, now);
  const { reason, until } = wanted;
  const found = await heldAt(desk.db, wanted.address);
  const says = `gets no traffic until ${until.toISOString()}: ${reason}`;
  const spec = {
    action: 'address.null_route',
    route: { reason, until },
    event: 'null_routed',
    says,
  } as const;
  return route(desk, found, spec, async (tx, held, account_name) => {
    const link = pageLink(desk.origin, `/p/ip-management/addresses/${held.id}`);
    for (const { email, name } of await readRecipients(tx, held.account_id))
      if (isMailAddress(email))
        await sendMail(tx, {
          to: email,
          template: 'address_null_routed',
          data: { name, account_name, address: textOf(held), reason, until, link },
        });
  });
}

export async function endNullRoute(desk: Desk, address: string): Promise<NullRouted> {
  const released = await endReleased(desk.db, addressIn(address));
  if (released !== undefined) return { address: released, isByEngine: false };
  const found = await heldAt(desk.db, address);
  if (found.routing === 'normal')
    throw new Problem('invalid_state', { detail: `The traffic to ${textOf(found)} is not dropped.` });
  const says = 'gets traffic again';
  return route(desk, found, {
    action: 'address.end_null_route',
    route: null,
    event: 'null_route_ended',
    says,
  });
}
