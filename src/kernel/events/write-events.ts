import type { Db } from '../../store/database.ts';
import type { Registry } from '../registry.ts';
import type { EventActor, NewEvent } from './event.ts';
import { appendEvents } from './store.ts';

/** Throws on an undeclared event type, which no subscription could match. Any test that emits one finds the mistake. */
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
