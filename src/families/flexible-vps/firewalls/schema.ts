/** The schemas of firewalls in requests and answers. */
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import { Resettable } from '../../../kernel/resets.ts';
import {
  advanced,
  byRule,
  CreatedAt,
  Description,
  Etag,
  Id,
  Labels,
  LabelsPatch,
  label,
  Named,
  NewDescription,
  Nullable,
  OneOf,
  OwnId,
  ResourceName,
  Shape,
  type Static,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { Variants } from '../../../kernel/variants.ts';
import { FirewallRef, InterfaceRef, NetworkRef, VmRef } from '../references.ts';
import { firewallLife } from './lifecycle.ts';

const Action = Named(
  'FirewallAction',
  OneOf(
    { allow: 'The packets pass.', drop: 'The packets are discarded without an answer.' },
    { description: 'What happens to the packets.' },
  ),
);
const Direction = Named(
  'FirewallDirection',
  OneOf(
    { in: 'Connections to a machine of the firewall.', out: 'Connections that such a machine opens.' },
    { description: 'Whose connections the rule is about. Answers always pass.' },
  ),
);
const Protocol = Named(
  'FirewallProtocol',
  OneOf(
    {
      tcp: 'TCP, with `ports`.',
      udp: 'UDP, with `ports`.',
      icmp: 'ICMP for IPv4, with `icmp_type`.',
      icmpv6: 'ICMP for IPv6.',
      any: 'All protocols.',
    },
    { description: 'The protocol of the packets.' },
  ),
);
const IcmpType = Type.Integer({ minimum: 0, maximum: 255, description: 'The ICMP type.' });
const Enabled = Type.Boolean({ description: 'Whether the rule is in force.' });

export const FirewallRule = Named(
  'FirewallRule',
  Shape({
    id: OwnId('fwr'),
    direction: Direction,
    action: Action,
    protocol: Protocol,
    ports: Type.Array(Type.String(), { description: 'Ports and port ranges; empty: all.' }),
    remote_cidrs: Type.Array(Type.String(), { description: 'Ranges of the other side.' }),
    remote_firewall_ids: Type.Array(Id('fw'), {
      description: 'Firewalls whose machines, in the same network, are the other side.',
    }),
    icmp_type: Nullable({ ...IcmpType, description: 'The ICMP type; null: all.' }),
    enabled: Enabled,
    description: Description,
  }),
);

export const NewRule = Named(
  'NewFirewallRule',
  Shape({
    direction: Direction,
    action: Action,
    protocol: Protocol,
    ports: Type.Optional(
      Type.Array(Type.String({ ...byRule, minLength: 1, maxLength: 11 }), {
        maxItems: 20,
        default: [],
        examples: [['22', '8000-8100']],
        description:
          'Ports and port ranges of the receiver, for tcp and udp only. Empty: all. Stored as a sorted list of their shortest forms.',
      }),
    ),
    remote_cidrs: Type.Optional(
      Type.Array(
        Type.String({ minLength: 2, maxLength: 49, format: 'cidr', ...addressFor('firewall_range') }),
        {
          maxItems: 50,
          default: [],
          examples: [['203.0.113.0/24']],
          description:
            'Ranges of the other side. Without `remote_cidrs` and `remote_firewall_ids`: everybody. Stored as a sorted list of their shortest forms, with host bits zeroed.',
        },
      ),
    ),
    remote_firewall_ids: Type.Optional(
      Type.Array(FirewallRef, {
        maxItems: 5,
        default: [],
        ...advanced,
        description:
          'Firewalls whose machines are the other side, as far as they are in the same network. The rule follows machines that come and go. Stored as a sorted list.',
      }),
    ),
    icmp_type: Type.Optional(
      Nullable({
        ...IcmpType,
        ...advanced,
        description: 'The ICMP type, for icmp only; null, the default: all.',
      }),
    ),
    enabled: Type.Optional({ ...Enabled, default: true }),
    description: Type.Optional(NewDescription),
  }),
);
export type NewRule = Static<typeof NewRule>;

/** A rule as it was read can be sent again. */
const ChangedRule = Named(
  'ChangedFirewallRule',
  Shape({
    ...NewRule.properties,
    id: Type.Optional(
      // No reference: nobody chooses it from a list, and nothing is looked up.
      Type.String({
        ...written('^fwr_[0-9a-z]{26}$', 'Must be the id of a rule, which starts with fwr_.'),
        ...advanced,
        description: 'The id of the rule as it was read. It has no effect. Default: none.',
      }),
    ),
  }),
);

export const FirewallTarget = Variants(
  'FirewallTarget',
  'type',
  {
    vm: {
      means: 'All interfaces of a machine, also future ones.',
      members: { id: { ...VmRef, description: 'The machine.' } },
    },
    interface: {
      means: 'One interface of a machine.',
      members: {
        vm_id: Type.Optional({
          ...VmRef,
          ...advanced,
          description:
            'The machine of the interface. Answers always have it. Default: the one that has `id`.',
        }),
        id: { ...InterfaceRef, description: 'The interface.' },
      },
    },
    network: {
      means: 'All interfaces in a private network.',
      members: { id: { ...NetworkRef, description: 'The private network.' } },
    },
    label_selector: {
      means: 'All interfaces of the machines with certain labels, also of future ones.',
      members: {
        selector: Type.String({
          minLength: 1,
          maxLength: 500,
          examples: ['env=prod,role in (web,api)'],
          description: 'Which labels the machines have, written as for `label_selector` of lists.',
        }),
      },
    },
  },
  { description: 'What the firewall applies to.' },
);

export const FirewallAttachment = Named(
  'FirewallAttachment',
  Shape({
    id: OwnId('fwa'),
    target: FirewallTarget,
    vm_count: Type.Integer({ ...volatile, description: 'How many machines the attachment covers now.' }),
    created_at: CreatedAt,
  }),
);
export type FirewallAttachment = Static<typeof FirewallAttachment>;

const DefaultIn = { ...Action, description: 'What happens to arriving connections that no rule is about.' };
const DefaultOut = { ...Action, description: 'What happens to outgoing connections that no rule is about.' };

export const Firewall = Named(
  'Firewall',
  Shape({
    id: OwnId('fw'),
    name: ResourceName,
    description: Description,
    labels: Labels,
    status: firewallLife.ShownStatus,
    status_reason: Nullable(
      Type.String({
        ...volatile,
        description: 'The code of the error that led to this status; null if there was none.',
      }),
    ),
    operation: PendingOperation,
    default_in: DefaultIn,
    default_out: DefaultOut,
    rules: Type.Array(FirewallRule, { description: 'The rules. Their order has no meaning.' }),
    attachments: Type.Array(FirewallAttachment, { description: 'What the firewall applies to.' }),
    vm_count: Type.Integer({ ...volatile, description: 'How many machines have the firewall now.' }),
    applied_at: Nullable(
      Type.String({
        format: 'date-time',
        ...volatile,
        description: 'When the last change came into force; null if there was none yet.',
      }),
    ),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'status', 'default_in', 'default_out', 'vm_count'] },
);
export type Firewall = Static<typeof Firewall>;

export const FirewallId = Shape({ id: Id('fw') });
export const RuleId = Shape({ id: Id('fw'), rule_id: Id('fwr') });
export const AttachmentId = Shape({ id: Id('fw'), attachment_id: Id('fwa') });

/** 100 is the maximum for a request; the limit of the provider may be lower or higher. */
const Rules = {
  ...Type.Array(NewRule, {
    maxItems: 100,
    description: 'The complete list of rules, each once. A rule that drops wins over one that allows.',
  }),
  default: [],
};
const NewIn = { ...DefaultIn, ...label('Arriving connections'), default: 'drop' };
const NewOut = { ...DefaultOut, ...label('Outgoing connections'), default: 'allow' };

export const NewFirewall = Shape({
  name: ResourceName,
  description: Type.Optional(NewDescription),
  labels: Type.Optional({ ...Labels, default: {} }),
  default_in: Type.Optional(NewIn),
  default_out: Type.Optional(NewOut),
  rules: Type.Optional(Rules),
});
export type NewFirewall = Static<typeof NewFirewall>;

export const FirewallChange = Shape({
  name: Type.Optional(ResourceName),
  description: Type.Optional(Resettable(NewDescription)),
  labels: Type.Optional(LabelsPatch),
  default_in: Type.Optional(Resettable(NewIn)),
  default_out: Type.Optional(Resettable(NewOut)),
  rules: Type.Optional(
    Resettable({
      ...Type.Array(ChangedRule, {
        maxItems: 100,
        description: 'The complete new list of rules. Identical rules keep their ids.',
      }),
      default: [],
    }),
  ),
});
export type FirewallChange = Static<typeof FirewallChange>;

export const NewAttachment = Shape({ target: FirewallTarget });
export type NewAttachment = Static<typeof NewAttachment>;

/** The answer to a call that added a rule: the firewall, and which of its rules it is. */
export const FirewallWithRule = Named(
  'FirewallWithRule',
  Shape({ ...Firewall.properties, rule_id: Id('fwr', { description: 'The rule that you asked for.' }) }),
);
export const FirewallWithAttachment = Named(
  'FirewallWithAttachment',
  Shape({
    ...Firewall.properties,
    attachment_id: Id('fwa', { description: 'The attachment that you asked for.' }),
  }),
);
