import { newId } from '../../../kernel/ids.ts';
import { newSeat, takeSeat } from '../../../kernel/streams/store.ts';
import type { Fixture } from '../../../laws/fixture.ts';

/** Events come with the writes of other fixtures; this adds a stream that somebody reads. */
export const fixture: Fixture = {
  collection: '/account/v1/events',
  async fillOnce({ app, account }) {
    await takeSeat(app.services.db, newSeat(account.id, newId('api_key')));
    return undefined;
  },
};
