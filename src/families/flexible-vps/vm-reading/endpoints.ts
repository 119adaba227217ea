import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { List } from '../../../kernel/pages/list.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Type } from '../../../kernel/schema.ts';
import {
  BackupPolicyRef,
  FirewallRef,
  ForVolume,
  IMAGES,
  ISOS,
  LOCATIONS,
  NetworkRef,
  PLANS,
  PlacementGroupRef,
  VmRef,
} from '../references.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { presentVm } from './present.ts';
import { findWhole, listWhole } from './store.ts';

const Text = (description: string) => Type.String({ maxLength: 90, description });

export const listVms = endpoint({
  id: 'listVms',
  method: 'GET',
  path: '/flexible-vps/v1/vms',
  summary: 'List machines',
  description:
    'The newest machine is first. A machine has to match all filters. A filter for something that does not exist matches no machine.',
  permission: 'flexible-vps:vms:read',
  access: 'read',
  resource: { name: 'vm', role: 'list' },
  query: ResourceQuery({
    status: Type.Optional({ ...vmLife.Status, description: 'Only machines in this state.' }),
    location: Type.Optional(Ref(Text('Only machines in this location.'), LOCATIONS)),
    plan: Type.Optional(
      Ref(Text('Only machines of this plan; `custom` for machines with a custom size.'), PLANS),
    ),
    image_id: Type.Optional(
      Ref(Text('Only machines whose disk was created from this image (id or slug).'), IMAGES),
    ),
    iso_id: Type.Optional(Ref(Text('Only machines with this ISO (id or slug) in their drive.'), ISOS)),
    network_id: Type.Optional({ ...NetworkRef, description: 'Only machines in this network.' }),
    firewall_id: Type.Optional({ ...FirewallRef, description: 'Only machines with this firewall.' }),
    placement_group_id: Type.Optional({
      ...PlacementGroupRef,
      description: 'Only machines in this placement group.',
    }),
    backup_policy_id: Type.Optional({
      ...BackupPolicyRef,
      description: 'Only machines with this backup policy.',
    }),
    for_volume: ForVolume,
    ip: Type.Optional({
      ...Text('Only the machine with this public or private address.'),
      ...addressFor('filter'),
    }),
    ids: Type.Optional(
      Type.Array(VmRef, {
        minItems: 1,
        maxItems: 50,
        description: 'Only machines with these ids, separated by commas.',
      }),
    ),
  }),
  answers: { 200: List(Vm) },
  problems: [],
  example: {
    query: { location: 'fra1' },
    answer: { status: 200, body: { data: [exampleVm], next_cursor: null } },
  },
  async handle(call) {
    const { services, now } = call;
    const { rows, nextCursor } = await listWhole(call);
    const data = rows.map(({ vm, parts }) => presentVm(services, vm, parts, now));
    return ok({ data, next_cursor: nextCursor });
  },
});

export const getVm = endpoint({
  id: 'getVm',
  method: 'GET',
  path: '/flexible-vps/v1/vms/{id}',
  summary: 'Get a machine',
  description:
    'Returns the machine with its interfaces, addresses and pending operation. Reads only stored data, so a slow machine does not delay the answer. `price` is what the machine costs in its present state, as it is billed, and while it is being created what it costs when it runs. `price_running` and `price_stopped` are its prices in both states: a stopped machine costs only what it keeps, such as its address and a disk above that of its plan.',
  permission: 'flexible-vps:vms:read',
  access: 'read',
  resource: { name: 'vm', role: 'read' },
  params: VmId,
  answers: { 200: Vm },
  problems: [],
  example: { params: { id: exampleVm.id }, answer: { status: 200, body: exampleVm } },
  async handle(call) {
    const { db, caller, params, services, now } = call;
    const { vm, parts } = await findWhole(db, caller.account.id, params.id);
    return ok(presentVm(services, vm, parts, now));
  },
});
