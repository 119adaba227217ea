import type { Fixture } from '../laws/fixture.ts';

const path = '/workshop/v1/opening-hours';

export const fixture: Fixture = {
  collection: path,
  async fillOnce({ app, key }, mark) {
    const answer = await app.call({ method: 'PUT', url: path, payload: { note: mark }, key: key.key });
    if (answer.statusCode !== 200) throw new Error(`setOpeningHours ${answer.statusCode}: ${answer.body}`);
    return undefined;
  },
};
