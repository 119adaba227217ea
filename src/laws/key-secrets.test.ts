/**
 * The secret of a key is shown only to the member who owns the key. Each act on a key that can answer with a secret is
 * tried by each role, on keys of members of each role. The answers of all other acts are checked in
 * `portal-acts.test.ts`, those of the API in `secrets.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RoleName, roleNames } from '../kernel/access/roles.ts';
import { hasSecret } from '../kernel/serialise.ts';
import { removeMember } from '../portal-api/members/removal.ts';
import type { Act } from '../surfaces/portal/act.ts';
import { acts } from '../surfaces/portal/acts/index.ts';
import { createKey, createMember } from '../testing/accounts.ts';
import { catalogue, staff } from '../testing/portal.ts';
import { actFixtures } from './act-fixtures.ts';
import { type ActWorld, createActWorld, outcomeOfAct, sendAct } from './act-world.ts';
import { ownersOfShownKeys } from './shown-keys.ts';

let world: ActWorld;
beforeAll(async () => {
  world = await createActWorld();
});
afterAll(() => world.app.close());

const showing = acts.filter(({ answer, path }) => hasSecret(answer) && path.includes('{key_id}'));
const keyOwners = roleNames.filter((role) => role !== 'billing');
const cases = showing.flatMap((act) =>
  roleNames.flatMap((role) =>
    keyOwners.map((owner): [string, RoleName, RoleName, Act] => [act.id, role, owner, act]),
  ),
);

const keyOf = (memberId: string) =>
  createKey(world.app.services.db, world.account, {
    owner_id: memberId,
    permissions: ['account:profile:read'],
  });

const call = (id: string, acting: Parameters<typeof sendAct>[1], key_id: string, input = {}) =>
  sendAct(acts.find((act) => act.id === id)!, acting, { params: { key_id }, input });

describe('the secret of a key', () => {
  it('is in the answers of some acts', () => expect(showing.map(({ id }) => id)).toContain('rollApiKey'));

  it.each(cases)(
    '%s by a member who is %s, for the key of a member who is %s, does not show it',
    async (id, role, owner, act) => {
      const { db } = world.app.services;
      const acting = await world.actAs(role);
      const memberId = await createMember(db, world.account.id, owner);
      const key = await keyOf(memberId);
      const prepared = await actFixtures[id]!(acting);
      const answer = await sendAct(act, acting, {
        ...prepared,
        params: { ...prepared.params, key_id: key.id },
      });
      expect([outcomeOfAct(answer), await ownersOfShownKeys(db, answer.body)]).toEqual([
        '403 permission_denied',
        [],
      ]);
    },
  );

  it('is shown to an admin who took over the key, which ends with the admin', async () => {
    const { db } = world.app.services;
    const [owner, admin] = [await world.actAs('owner'), await world.actAs('admin')];
    const { id } = await keyOf(owner.memberId);
    const refused = (await call('rollApiKey', admin, id)).json();
    expect(refused.detail).toContain('belongs to');
    expect(refused.next_step).toMatch(
      /to roll it\. Otherwise: Owners and admins .* transfer it to themselves/,
    );
    expect((await call('transferApiKey', admin, id, { member_id: admin.memberId })).statusCode).toBe(200);
    const rolled = await call('rollApiKey', admin, id);
    expect(await ownersOfShownKeys(db, rolled.body)).toEqual([admin.memberId]);
    const who = () => world.app.call({ url: '/account/v1/whoami', key: rolled.json().secret });
    expect((await who()).json().owner.role).toBe('admin');
    const input = { account_id: world.account.id, member_id: admin.memberId };
    await removeMember(db, staff, input, catalogue);
    await expect.poll(async () => outcomeOfAct(await who())).toBe('401 api_key_revoked');
  });
});

describe('a key whose secret an admin knows', () => {
  it('cannot be transferred to an owner by the admin, who could then act as an owner', async () => {
    const { db } = world.app.services;
    const fresh = await world.actAs('owner');
    const person = await world.actAs('developer');
    await db.updateTable('members').set({ role: 'admin' }).where('id', '=', person.memberId).execute();
    const { id } = await keyOf(person.memberId);
    const answer = await call('transferApiKey', person, id, { member_id: fresh.memberId });
    expect(answer.json().errors).toMatchObject([{ pointer: '/member_id', code: 'incompatible' }]);
    expect((await call('transferApiKey', fresh, id, { member_id: fresh.memberId })).statusCode).toBe(200);
  });
});
