import type { Db } from '../../store/database.ts';
import type { Registry } from '../registry.ts';
import type { EventActor, NewEvent } from './event.ts';
import { appendEvents } from './store.ts';

/** Events of a type nobody declared would reach no subscription: a mistake, found by the first test that makes one. */
export async function writeEvents(
  db: Db,
  registry: Pick<Registry, 'eventTypes' | 'subjects'>,
  { accountId, actor }: { readonly accountId: string; readonly actor: EventActor },
  events: readonly NewEvent[],
): Promise<void> {
  const declared = events.map((event) => {
    const type = registry.eventTypes.get(event.type);
    if (type === undefined) throw new Error(`No family declares events of the type ${event.type}.`);
    const family = event.resource === null ? undefined : registry.subjects.get(event.resource.type)?.family;
    return { ...event, severity: event.severity ?? type.severity, family: family ?? type.family };
  });
  await appendEvents(db, accountId, actor, declared);
}
