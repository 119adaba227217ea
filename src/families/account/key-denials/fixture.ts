import { writeDenials, writeDrops } from '../../../kernel/denials/store.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Fixture } from '../../../laws/fixture.ts';

export const fixture: Fixture = {
  collection: '/account/v1/key-denials',
  async fillOnce({ app, account }) {
    await writeDrops(app.services.db, [{ accountId: account.id, count: 3 }]);
    return undefined;
  },
  async addRow({ app, account, key }, name, i) {
    const at = new Date();
    await writeDenials(app.services.db, [
      {
        id: newId('key_denial'),
        account_id: account.id,
        cause: 'ip_restriction',
        code: 'ip_not_allowed',
        enforced: false,
        allowlist_mode: 'report_only',
        key_id: key.id,
        key_public_id: key.publicId,
        key_name: name,
        client_ip: `192.0.2.${i % 256}`,
        method: 'GET',
        path_template: '/account/v1/profile',
        operation_id: 'getAccountProfile',
        required_permission: null,
        denied_by: null,
        user_agent: name,
        count: 1,
        first_at: at,
        last_at: at,
        last_request_id: newId('request'),
      },
    ]);
  },
};
