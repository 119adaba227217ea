import type { Fixture } from '../../../laws/fixture.ts';
import { insertWebhook } from '../../../testing/webhooks.ts';

export const fixture: Fixture = {
  collection: '/account/v1/webhooks',
  fillOnce: async ({ app, account }, mark) =>
    (await insertWebhook(app.services, account, { name: `${mark}-told` })).id,
  addRow: async ({ app, account }, name) =>
    void (await insertWebhook(app.services, account, { name, description: name })),
};
