import type { Fixture } from '../../../laws/fixture.ts';
import { insertDelivery } from '../../../testing/webhooks.ts';

export const fixture: Fixture = {
  collection: '/account/v1/webhooks/{id}/deliveries',
  /** Of the test event that a webhook sends when it is declared. */
  async make({ app, account }, { id = '' }) {
    const test = app.services.db.selectFrom('events').select('id').where('resource_id', '=', id);
    const { id: event_id } = await test.executeTakeFirstOrThrow();
    return insertDelivery(app.services, account, id, { event_id });
  },
  remove: ({ app }, id) => app.services.db.deleteFrom('webhook_deliveries').where('id', '=', id).execute(),
  addRow: async ({ app, account }, name, _i, webhookId) =>
    void (await insertDelivery(app.services, account, webhookId, { response_excerpt: name })),
};
