import type { Fixture } from '../laws/fixture.ts';
import { addReading } from '../money/metering/readings/add-reading.ts';

const collection = '/workshop/v1/widgets';

/** Also adds a meter reading and uses an Idempotency-Key for each widget, so that their tables have rows too. */
export const fixture: Fixture = {
  collection,
  variations: { updateWidget: { 'to a larger size': async () => ({ body: { size: 9 } }) } },
  async addRow({ app, key }, name) {
    const answer = await app.call({
      method: 'POST',
      url: collection,
      headers: { 'idempotency-key': name },
      payload: { name, size: 1, labels: { mark: name } },
      key: key.key,
    });
    if (answer.statusCode !== 201) throw new Error(answer.body);
    const { db, provider } = app.services;
    await addReading(db, provider.catalogue, {
      resourceId: answer.json<{ id: string }>().id,
      sku: 'traffic.out',
      quantity: 5_000_000n,
      at: new Date(),
    });
  },
};
