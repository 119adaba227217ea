import { sql } from 'kysely';
import { newId } from '../../../kernel/ids.ts';
import type { Fixture } from '../../../laws/fixture.ts';

export const fixture: Fixture = {
  collection: '/account/v1/ip-allowlist',
  async fillOnce({ app, account }, mark) {
    await app.services.db
      .insertInto('ip_allowlists')
      .values({
        account_id: account.id,
        mode: 'report_only',
        mode_changed_at: new Date(),
        mode_changed_by: mark,
      })
      .execute();
    return undefined;
  },
  async addRow({ app, account }, name, i) {
    await app.services.db
      .insertInto('ip_allowlist_entries')
      .values({
        id: newId('allowlist_entry'),
        account_id: account.id,
        cidr: sql`(${`2001:db8:${i.toString(16)}::/48`})::cidr`,
        note: name,
        created_by: name,
      })
      .execute();
  },
};
