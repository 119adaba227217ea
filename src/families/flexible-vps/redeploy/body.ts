import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { Confirm } from '../restore/refusals.ts';
import { Hostname, SshKeyIds, UserData, UserDataEncoding } from '../vms/creation/body.ts';

export const RedeployVm = Shape({
  image_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 90, description: 'Left out: the one it was made from.' }),
  ),
  ssh_key_ids: Type.Optional({ ...SshKeyIds, description: 'Left out: those that were installed last.' }),
  user_data: Type.Optional(Nullable({ ...UserData, description: 'Left out: what is stored; null: none.' })),
  user_data_encoding: Type.Optional(UserDataEncoding),
  generate_password: Type.Optional(
    Type.Boolean({ description: 'Left out: only if there is neither SSH key nor user data.' }),
  ),
  hostname: Type.Optional({ ...Hostname, description: 'Left out: it keeps its own.' }),
  delete_snapshots: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether the snapshots of the machine may go.' }),
  ),
  confirm: Confirm,
});
export type RedeployVm = Static<typeof RedeployVm>;
