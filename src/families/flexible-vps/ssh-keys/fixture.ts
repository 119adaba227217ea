import type { Fixture } from '../../../laws/fixture.ts';
import { freshPublicKey } from '../../../testing/ssh-keys.ts';

const collection = '/flexible-vps/v1/ssh-keys';

export const fixture: Fixture = {
  collection,
  async addRow({ app, key }, name) {
    const payload = { name, public_key: freshPublicKey(name) };
    const answer = await app.call({ method: 'POST', url: collection, payload, key: key.key });
    if (answer.statusCode !== 201) throw new Error(answer.body);
  },
};
