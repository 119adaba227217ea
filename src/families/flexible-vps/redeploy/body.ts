import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { RedeployImageRef } from '../references.ts';
import { ConfirmMachine } from '../restore/refusals.ts';
import { Hostname, SshKeyIds, UserData, UserDataEncoding } from '../vm-creation/body.ts';

export const RedeployVm = Shape({
  image_id: Type.Optional({
    ...RedeployImageRef,
    description:
      'The id of an image, or the slug of a public one. Default: the image that the machine was created from.',
  }),
  ssh_key_ids: Type.Optional({
    ...SshKeyIds,
    description: 'SSH keys to install for the default user. Default: the keys that were installed last.',
  }),
  user_data: Type.Optional(
    Nullable({
      ...UserData,
      description: 'User data for cloud-init; null: none. Never shown again. Default: the stored user data.',
    }),
  ),
  user_data_encoding: Type.Optional(UserDataEncoding),
  generate_password: Type.Optional(
    Type.Boolean({
      description:
        'Whether the answer contains a new password for the default user. Default: true if there is neither an SSH key nor user data that cloud-init reads.',
    }),
  ),
  hostname: Type.Optional({
    ...Hostname,
    description: 'The host name that cloud-init sets in the guest. Default: the present one.',
  }),
  delete_snapshots: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether the snapshots of the machine may be deleted.' }),
  ),
  confirm: ConfirmMachine,
});
export type RedeployVm = Static<typeof RedeployVm>;
