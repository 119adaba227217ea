import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { makeVm } from '../vms/fixture.ts';
import { backupPolicies } from './resource.ts';
import { NO_SCHEDULE } from './rules.ts';

/** A policy with the members of the body. */
async function newPolicy({ app, key }: World, body: object = {}): Promise<string> {
  const payload = {
    name: freshName(),
    schedule: { frequency: 'daily', hour: 2 },
    retention: { keep_last: 7 },
    ...body,
  };
  const url = '/flexible-vps/v1/backup-policies';
  return (await app.call({ method: 'POST', url, payload, key: key.key })).json<{ id: string }>().id;
}

/** Gives the policy to a machine, so that it is going to make backups. */
async function give({ app, key }: World, policyId: string | undefined, vmId: string): Promise<void> {
  const url = `/flexible-vps/v1/vms/${vmId}`;
  const payload = { backup_policy_id: policyId };
  await app.call({ method: 'PATCH', url, payload, key: key.key });
}

/** A machine that waits for its backup in the window of its policy. */
export const fixture: Fixture = {
  collection: '/flexible-vps/v1/backup-policies',
  async fillOnce(world) {
    const { db } = world.app.services;
    const account_id = world.account.id;
    const policy = await db
      .insertInto('backup_policies')
      .values({
        id: backupPolicies.newId(),
        name: freshName(),
        account_id,
        labels: {},
        enabled: true,
        schedule: NO_SCHEDULE,
        retention: { keep_last: 7, keep_days: null },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const window_ends_at = new Date(Date.now() + 3_600_000);
    await db
      .insertInto('backup_jobs')
      .values({ vm_id: await makeVm(world), account_id, policy_id: policy.id, window_ends_at })
      .execute();
    await give(world, await newPolicy(world), await makeVm(world));
    return undefined;
  },
  variations: {
    createVm: { 'with a policy': async (world) => ({ body: { backup_policy_id: await newPolicy(world) } }) },
    updateVm: {
      'with a policy': async (world) => ({ body: { backup_policy_id: await newPolicy(world) } }),
      'with a policy and a larger disk': async (world) => ({
        body: { backup_policy_id: await newPolicy(world), plan: 'flex-2-4', disk_gb: 160 },
      }),
      'without a policy': async (world, { id = '' }) => {
        await give(world, await newPolicy(world), id);
        return { body: { backup_policy_id: null } };
      },
    },
    resizeVm: {
      'of a machine with a policy': async (world, { id = '' }) => {
        await give(world, await newPolicy(world), id);
        return { body: { plan: 'flex-2-4', disk_gb: 160 } };
      },
    },
    deleteVm: {
      'with a policy': async (world, { id = '' }) => {
        await give(world, await newPolicy(world), id);
        return {};
      },
    },
    updateBackupPolicy: {
      'to keep more': async (world, { id }) => {
        await give(world, id, await makeVm(world));
        return { body: { retention: { keep_last: 30 } } };
      },
      'to keep fewer': async (world, { id }) => {
        await give(world, id, await makeVm(world));
        return { body: { retention: { keep_last: 1 } } };
      },
    },
    deleteBackupPolicy: {
      'that machines have': async (world, { id }) => {
        await give(world, id, await makeVm(world));
        return { query: { detach: true } };
      },
    },
  },
};
