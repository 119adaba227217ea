import { newId } from '../../../kernel/ids.ts';
import type { Fixture } from '../../../laws/fixture.ts';

export const fixture: Fixture = {
  collection: '/account/v1/members',
  async addRow({ app, account }, name) {
    await app.services.db
      .insertInto('members')
      .values({
        id: newId('member'),
        account_id: account.id,
        name,
        email: `${name}@example.com`,
        role: 'viewer',
      })
      .execute();
  },
};
