/**
 * Emits the events `api_key.expiring` and `api_key.expired`. Keys expire by their timestamp alone; this
 * schedule only finds them.
 */
import { HOSTPLANE, type NewEvent } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import { findUntoldEnds, type KeyEnd } from './store.ts';

const MOST = 500;

function eventOf({ id, name, public_id, expires_at, days_left }: KeyEnd): NewEvent {
  const resource = { type: 'api_key', id, name };
  const data = { public_id, expires_at: expires_at.toISOString() };
  if (days_left === null)
    return { type: 'api_key.expired', resource, message: `The API key ${name} has expired.`, data };
  const soon = days_left === 1 ? 'a day' : `${days_left} days`;
  const message = `The API key ${name} expires in less than ${soon}.`;
  return { type: 'api_key.expiring', resource, message, data: { ...data, days_left } };
}

export const keyEnds: Schedule = {
  name: 'key-ends',
  everySeconds: 60,
  async run({ db, registry }) {
    for (const end of await findUntoldEnds(db, MOST)) {
      const origin = { accountId: end.account_id, actor: HOSTPLANE };
      await db.transaction().execute((tx) => writeEvents(tx, registry, origin, [eventOf(end)]));
    }
  },
};
