import type { Fixture } from '../../../laws/fixture.ts';
import { createKey } from '../../../testing/accounts.ts';

/** People create keys, in the portal or at the command line; no endpoint does. */
export const fixture: Fixture = {
  collection: '/account/v1/api-keys',
  make: async ({ app, account }) => (await createKey(app.services.db, account)).id,
  remove: ({ app }, id) => app.services.db.deleteFrom('api_keys').where('id', '=', id).execute(),
  addRow: async ({ app, account }, name) =>
    void (await createKey(app.services.db, account, { name, owner_name: name })),
};
