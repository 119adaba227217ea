import type { Fixture } from '../../../laws/fixture.ts';
import { freshName } from '../../../laws/world.ts';
import { makeVm } from '../vms/fixture.ts';
import { backupPolicies } from './resource.ts';
import { NO_SCHEDULE } from './rules.ts';

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
    return undefined;
  },
};
