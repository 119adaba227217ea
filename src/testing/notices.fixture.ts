import type { Fixture } from '../laws/fixture.ts';
import { notices } from './notices.ts';

export const fixture: Fixture = {
  collection: '/workshop/v1/notices',
  async addRow({ app, account }, name, i) {
    const severity = i % 2 === 0 ? 'info' : 'warning';
    await app.services.db
      .insertInto('notices')
      .values({ id: notices.newId(), account_id: account.id, severity, text: name })
      .execute();
  },
};
