/** Emits events for calls refused because of their address: at most one per hour for each key and address. */
import type { Db } from '../../store/database.ts';
import { accountEventTypes, declaredAs } from '../events/account-types.ts';
import { HOSTPLANE, type NewEvent } from '../events/event.ts';
import { writeEvents } from '../events/write-events.ts';
import { type Denial, findToldDenials } from './store.ts';

const declared = declaredAs(accountEventTypes);

const typeOf = ({ enforced }: Denial): string =>
  enforced ? 'ip_allowlist.denied' : 'ip_allowlist.would_deny';

const placeOf = (type: string, keyId: unknown, clientIp: unknown): string => `${type} ${keyId} ${clientIp}`;

function eventOf(denial: Denial): NewEvent {
  const { account_id, key_id, key_name, key_public_id, client_ip, operation_id, enforced } = denial;
  const outcome = enforced ? 'was refused' : 'would be refused if the IP allowlist were enforced';
  return {
    type: typeOf(denial),
    resource: { type: 'ip_allowlist', id: account_id, name: null },
    message: `A call of the API key ${key_name} from ${client_ip} ${outcome}.`,
    data: { api_key_id: key_id, public_id: key_public_id, client_ip, operation_id },
  };
}

export async function tellDenials(db: Db, denials: readonly Denial[]): Promise<void> {
  const byAddress = denials.filter(({ cause }) => cause === 'ip_restriction');
  for (const accountId of new Set(byAddress.map(({ account_id }) => account_id))) {
    const own = byAddress.filter(({ account_id }) => account_id === accountId);
    const wanted = new Map(own.map((each) => [placeOf(typeOf(each), each.key_id, each.client_ip), each]));
    await db.transaction().execute(async (tx) => {
      const told = await findToldDenials(tx, accountId);
      for (const { type, data } of told) wanted.delete(placeOf(type, data['api_key_id'], data['client_ip']));
      const events = [...wanted.values()].map(eventOf);
      await writeEvents(tx, declared, { accountId, actor: HOSTPLANE }, events);
    });
  }
}
