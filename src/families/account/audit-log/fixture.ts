import { append } from '../../../kernel/audit/store.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Fixture } from '../../../laws/fixture.ts';

export const fixture: Fixture = {
  collection: '/account/v1/audit-log',
  async addRow({ app, account, key }, name) {
    await append(app.services.db, account.id, {
      id: newId('audit_entry'),
      occurred_at: new Date().toISOString(),
      actor: { kind: 'api_key', api_key_id: key.id, member_id: account.ownerId, name },
      client_ip: '192.0.2.1',
      user_agent: name,
      source: 'api',
      action: 'revokeApiKey',
      resource: { type: 'api_key', id: key.id, name },
      outcome: 'succeeded',
      http_status: 200,
      problem_code: null,
      request_id: newId('request'),
      operation_id: null,
      approval_operation_id: null,
      changes: [],
    });
  },
};
