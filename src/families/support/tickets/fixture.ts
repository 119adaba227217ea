import type { Fixture } from '../../../laws/fixture.ts';
import { freshName } from '../../../laws/world.ts';
import { insertFor } from '../../../testing/provision.ts';
import { tickets } from './resource.ts';

let serial = 1_000_000;

export const fixture: Fixture = {
  collection: '/support/v1/tickets',
  // The same text twice within ten minutes is refused.
  bodies: { createTicket: async () => ({ subject: `Question ${freshName()}` }) },
  async addRow(world, name, i) {
    const row = await insertFor(world, tickets, {
      number: ++serial,
      subject: `Question ${name}`,
      category: i % 2 === 0 ? 'network' : 'other',
      severity: i % 2 === 0 ? 'normal' : 'low',
      status: i % 2 === 0 ? 'open' : 'solved',
      resources: JSON.stringify([{ type: 'vm', id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b', name }]),
      request_ids: [],
      cc_member_ids: [],
      labels: { mark: name },
      created_by: JSON.stringify({
        kind: 'api_key',
        api_key_id: world.key.id,
        member_id: world.account.ownerId,
      }),
      follow_up_of: null,
      message_count: 1,
      first_response_due_at: null,
      text_hash: Buffer.from(name),
    });
    await tickets.note(world.app.services.db, row);
  },
};
