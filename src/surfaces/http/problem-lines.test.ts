import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { VpsAccount } from '../../testing/vps.ts';

let app: TestApp;
let owner: VpsAccount;

beforeAll(async () => {
  app = await createTestApp();
  owner = await VpsAccount.open(app);
});
afterAll(() => app.close());

const refused = (prefer: string) =>
  owner.send('POST', 'networks', { name: 'UPPER', location: 'fra1' }, { prefer });

it('a problem is written as lines for people if the call prefers that', async () => {
  const answer = await refused('wait=60, errors=text');
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([422, 'text/plain; charset=utf-8']);
  const [first, ...others] = answer.body.trimEnd().split('\n');
  expect(first).toMatch(/ \(validation_failed\)$/);
  expect(others).toEqual(expect.arrayContaining([expect.stringMatching(/^\/name: /)]));
  expect(others.at(-1)).toMatch(/^Request req_/);
  expect(answer.body).not.toContain('{');
});

it('a problem is written as JSON for all others', async () => {
  for (const prefer of ['wait=60', 'errors=json', 'text', 'errors']) {
    const answer = await refused(prefer);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json()).toMatchObject({ code: 'validation_failed' });
  }
});

it('API keys in a problem are masked', async () => {
  const url = `networks/${owner.key}`;
  const answer = await owner.send('GET', url, undefined, { prefer: 'errors=text' });
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect(answer.body).not.toContain(owner.key);
});

it('answers every call to what does not exist with a mark if the call prefers that, and else with 404', async () => {
  const prefer = { prefer: 'errors=text, missing=marked' };
  const network = 'networks/net_01k9zt6m7qf0x8r3v5c2d4e6g8';
  const volume = 'volumes/vol_01k9zt6m7qf0x8r3v5c2d4e6g8/actions';
  const calls = [
    ['GET', network, undefined],
    ['PATCH', network, { description: '' }],
    ['DELETE', network, undefined],
    ['POST', volume, { type: 'detach' }],
  ] as const;
  for (const [method, url, body] of calls) {
    const marked = await owner.send(method, url, body, prefer);
    expect([method, marked.statusCode, marked.json()]).toEqual([method, 200, { gone: ['not_found'] }]);
    expect(marked.headers).toMatchObject({
      'cache-control': 'no-store',
      'preference-applied': 'missing=marked',
    });
    expect(marked.headers).not.toHaveProperty('operation-location');
    expect((await owner.send(method, url, body)).statusCode).toBe(404);
  }
});

it('answers all other problems as usual to a call that prefers a mark', async () => {
  const prefer = { prefer: 'missing=marked' };
  expect((await owner.send('GET', 'nothing', undefined, prefer)).statusCode).toBe(404);
  const vm_id = 'vm_01k9zt6m7qf0x8r3v5c2d4e6g8';
  const volume = (
    await owner.send('POST', 'volumes', { name: 'data', location: 'fra1', size_gb: 20 })
  ).json();
  const attached = await owner.send(
    'POST',
    `volumes/${volume.id}/actions`,
    { type: 'attach', vm_id },
    prefer,
  );
  expect(attached.statusCode).toBeGreaterThanOrEqual(400);
});

it('answers a dry run that would be refused with 200 and the problem if the call prefers that', async () => {
  const prefer = { prefer: 'refusals=answered' };
  const body = { name: 'UPPER', location: 'fra1' };
  const answered = await owner.send('POST', 'networks?dry_run=true', body, prefer);
  expect([answered.statusCode, answered.headers['content-type'], answered.json()]).toEqual([
    200,
    'application/problem+json',
    expect.objectContaining({ code: 'validation_failed', status: 422 }),
  ]);
  expect(answered.headers).toMatchObject({ 'preference-applied': 'refusals=answered' });
  const taken = { name: 'taken', location: 'fra1', ipv4_cidr: '10.9.0.0/24' };
  await owner.do('POST', 'networks', taken);
  expect((await owner.send('POST', 'networks?dry_run=true', taken, prefer)).json()).toMatchObject({
    code: 'name_taken',
    status: 409,
  });
});

it('answers calls that are no dry runs, and callers that it does not know, as usual', async () => {
  const headers = { prefer: 'refusals=answered' };
  const payload = { name: 'UPPER', location: 'fra1' };
  expect((await owner.send('POST', 'networks', payload, headers)).statusCode).toBe(422);
  const url = '/flexible-vps/v1/networks?dry_run=true';
  const stranger = await app.call({ method: 'POST', url, payload, headers, key: `${owner.key}x` });
  expect(stranger.statusCode).toBe(401);
  expect(stranger.headers).not.toHaveProperty('preference-applied');
});
