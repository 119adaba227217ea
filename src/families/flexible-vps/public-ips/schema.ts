import { Confirm } from '../../../kernel/confirmation.ts';
import { Id, label, Shape, type Static, Type, when } from '../../../kernel/schema.ts';
import { PublicIpRef } from '../references.ts';

export const AttachPublicIp = Shape({
  ip_id: {
    ...PublicIpRef,
    ...label('Reserved address'),
    description: 'The reserved address to attach. It must be in the location of the machine.',
  },
  move: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether the address may be taken from the machine that has it, in the same operation.',
    }),
  ),
  confirm: Confirm(
    'The current name of the machine that has the address: required if `move` would leave that machine without an interface and an address.',
    when('move', true),
  ),
});
export type AttachPublicIp = Static<typeof AttachPublicIp>;

export const PublicIpId = Shape({ id: Id('vm'), ip_id: Id('ip') });
