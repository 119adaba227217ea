/** Writes events for tests through the same function that the product uses. */
import { type EventActor, HOSTPLANE, type NewEvent } from '../kernel/events/event.ts';
import { writeEvents } from '../kernel/events/write-events.ts';
import type { TestApp } from './app.ts';

type Home = Pick<TestApp, 'services'>;

export interface Happening extends Partial<NewEvent> {
  readonly actor?: EventActor;
}

/** Writes all given events in one transaction. */
export async function happen(
  { services }: Home,
  accountId: string,
  ...happenings: readonly Happening[]
): Promise<void> {
  await services.db.transaction().execute(async (tx) => {
    for (const { actor = HOSTPLANE, ...event } of happenings) {
      const whole = { type: 'member.joined', resource: null, message: 'Something happened.', ...event };
      await writeEvents(tx, services.registry, { accountId, actor }, [whole]);
    }
  });
}
