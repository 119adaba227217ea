/**
 * The guest configuration for the new disk of a redeploy. The row describes the present disk until it is wiped, so the
 * plan is stored in the input of the operation. It is encrypted, because user data and password hashes are secret.
 */
import type { Call } from '../../../kernel/call.ts';
import { newId } from '../../../kernel/ids.ts';
import { makeGuestPassword } from '../../../kernel/secrets/guest-password.ts';
import type { Services } from '../../../kernel/services.ts';
import { requireSshKeys } from '../ssh-keys/references.ts';
import { hashOf } from '../vms/guest.ts';
import type { VmRow } from '../vms/table.ts';
import { decidePassword, readUserData } from '../vms/user-data.ts';
import type { RedeployVm } from './body.ts';

export type Plan = Pick<
  VmRow,
  'seed' | 'hostname' | 'ssh_key_ids' | 'ssh_public_keys' | 'password_hash' | 'user_data' | 'user_data_sha256'
>;

type Asking = Pick<Call<unknown, unknown, RedeployVm>, 'db' | 'caller' | 'body' | 'warn'>;

function chooseUserData({ body }: Asking, stored: Buffer | null): Buffer | null {
  if (body.user_data === undefined) return stored;
  if (body.user_data === null) return null;
  return readUserData(body.user_data, body.user_data_encoding);
}

/** By default the keys that were installed last are used again, even if they were deleted from the account. */
async function chooseKeys({ db, caller, body }: Asking, row: VmRow) {
  const { ssh_key_ids } = body;
  if (ssh_key_ids === undefined)
    return { ssh_key_ids: row.ssh_key_ids, ssh_public_keys: row.ssh_public_keys };
  const keys = await requireSshKeys(db, caller.account.id, ssh_key_ids, '/ssh_key_ids');
  return { ssh_key_ids, ssh_public_keys: keys.map(({ public_key }) => public_key) };
}

export async function makePlan(call: Asking, row: VmRow): Promise<{ plan: Plan; password: string | null }> {
  const { body } = call;
  const keys = await chooseKeys(call, row);
  const user_data = chooseUserData(call, row.user_data);
  const asked = {
    sshKeys: keys.ssh_public_keys.length,
    userData: user_data,
    generatePassword: body.generate_password,
  };
  const made = decidePassword(call, asked) ? await makeGuestPassword() : null;
  const plan: Plan = {
    seed: newId('request'),
    hostname: body.hostname ?? row.hostname,
    ...keys,
    password_hash: made?.hash ?? null,
    user_data,
    user_data_sha256: hashOf(user_data),
  };
  return { plan, password: made?.password ?? null };
}

type Seals = Pick<Services, 'secrets'>;

export function sealPlan({ secrets }: Seals, vmId: string, plan: Plan): string {
  const user_data = plan.user_data?.toString('base64') ?? null;
  return secrets.close(Buffer.from(JSON.stringify({ ...plan, user_data })), vmId).toString('base64');
}

export function openPlan({ secrets }: Seals, vmId: string, sealed: string): Plan {
  const text = secrets.open(Buffer.from(sealed, 'base64'), vmId).toString();
  const plan = JSON.parse(text) as Omit<Plan, 'user_data'> & { user_data: string | null };
  return { ...plan, user_data: plan.user_data === null ? null : Buffer.from(plan.user_data, 'base64') };
}
