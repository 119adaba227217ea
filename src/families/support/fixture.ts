/** Tickets with all their parts, and whether their files are in the stores. */
import { engineAt } from '../../engines/engine-step.ts';
import { objectsPort } from '../../engines/objects/port.ts';
import { type Row, rowsIn } from '../../laws/account-rows.ts';
import type { Fixture } from '../../laws/fixture.ts';
import type { World } from '../../laws/world.ts';
import { keyOf } from './attachments/storage.ts';
import type { AttachmentRow } from './attachments/table.ts';
import { insertNote } from './staff/store.ts';

async function fileFaults({ app }: World, row: AttachmentRow): Promise<string[]> {
  if (row.location === null) return [];
  const store = engineAt(objectsPort.engines(app.services), row.location);
  return (await store.list(keyOf(row))).length === 1 ? [] : [`the file ${row.id} is not in its store`];
}

export const fixture: Fixture = {
  /** A ticket with a file and an internal note. */
  async fillOnce({ app, account, key }, mark) {
    const content_base64 = Buffer.from(`The log of ${mark}.`).toString('base64');
    const attachments = [{ filename: `${mark}.txt`, content_type: 'text/plain', content_base64 }];
    const payload = {
      subject: `Question ${mark}`,
      body: `Can you read the log of ${mark}?`,
      category: 'other',
      attachments,
    };
    const answer = await app.call({ method: 'POST', url: '/support/v1/tickets', payload, key: key.key });
    if (answer.statusCode !== 201) throw new Error(`createTicket ${answer.statusCode}: ${answer.body}`);
    const ticket_id = answer.json<{ id: string }>().id;
    await insertNote(app.services.db, { account_id: account.id, ticket_id, author: mark, body: mark });
    return undefined;
  },
  agreement: {
    family: 'support',
    async disagreements(world) {
      const rows = (await rowsIn(world, 'ticket_attachments')) as unknown as (Row & AttachmentRow)[];
      return (await Promise.all(rows.map((row) => fileFaults(world, row)))).flat();
    },
    // Nobody deletes tickets.
    leftovers: async () => [],
    collections: {},
  },
};
