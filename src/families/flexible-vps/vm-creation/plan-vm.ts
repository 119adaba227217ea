/** Decides what a new machine is made of. Where it will be is decided by `placeVm`. */
import { makeGuestPassword } from '../../../kernel/secrets/guest-password.ts';
import { hashOf } from '../vms/guest.ts';
import { decidePassword } from '../vms/user-data.ts';
import { type CreateCall, checkBody } from './checks.ts';

export type VmPlan = Awaited<ReturnType<typeof planVm>>;

/** Keys, password and user data: how to get into the machine. */
async function accessOf(
  call: CreateCall,
  keys: readonly { public_key: string }[],
  data: Buffer | null,
  isBlank: boolean,
) {
  const { ssh_key_ids = [], generate_password } = call.body;
  const asked = { sshKeys: keys.length, userData: data, generatePassword: generate_password };
  // No cloud-init runs on an empty disk, so nothing would set the password.
  const made = !isBlank && decidePassword(call, asked) ? await makeGuestPassword() : null;
  return {
    columns: {
      ssh_key_ids,
      ssh_public_keys: keys.map(({ public_key }) => public_key),
      password_hash: made?.hash ?? null,
      user_data: data,
      user_data_sha256: hashOf(data),
    },
    password: made?.password ?? null,
  };
}

export async function planVm(call: CreateCall) {
  const { sshKeys, userData, ...named } = await checkBody(call);
  return { ...named, access: await accessOf(call, sshKeys, userData, named.origin.iso !== null) };
}
