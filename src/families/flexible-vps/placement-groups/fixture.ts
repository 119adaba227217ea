import type { Fixture } from '../../../laws/fixture.ts';

const collection = '/flexible-vps/v1/placement-groups';

export const fixture: Fixture = {
  collection,
  async addRow({ app, key }, name) {
    const payload = { name, location: 'fra1' };
    const answer = await app.call({ method: 'POST', url: collection, payload, key: key.key });
    if (answer.statusCode !== 201) throw new Error(answer.body);
  },
};
