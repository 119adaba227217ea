import type { Fixture } from '../../../laws/fixture.ts';

export const fixture: Fixture = {
  collection: '/account/v1/limits',
  async fillOnce({ app, account }, mark) {
    await app.services.db
      .insertInto('account_limits')
      .values({ account_id: account.id, limit_id: mark, value: 7 })
      .execute();
    return undefined;
  },
};
