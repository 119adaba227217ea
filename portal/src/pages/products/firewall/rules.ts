/** The rules of a firewall while people edit them. Lists are texts there, as they are typed. */
import type { Firewall } from '../../../../../src/families/flexible-vps/firewalls/schema.ts';

export type FirewallRow = Firewall;
export type Rule = Firewall['rules'][number];

export interface Draft extends Omit<Rule, 'id' | 'ports' | 'remote_cidrs'> {
  /** Of this page alone: rules that were not sent yet have no id. */
  readonly key: string;
  readonly ports: string;
  readonly remote_cidrs: string;
  readonly isNew?: boolean;
}

/** A rule as it is sent: identical rules keep their ids. */
export type Sent = Omit<Rule, 'id'>;

export interface Edits {
  readonly default_in: Rule['action'];
  readonly default_out: Rule['action'];
  readonly drafts: readonly Draft[];
}

let serial = 0;
const newKey = (): string => `new-${++serial}`;

const partsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');

export const hasPorts = (protocol: Rule['protocol']): boolean => protocol === 'tcp' || protocol === 'udp';

export const draftOf = ({ id, ...rule }: Rule): Draft => ({
  ...rule,
  key: id,
  ports: rule.ports.join(', '),
  remote_cidrs: rule.remote_cidrs.join(', '),
});

export const sentOf = ({ key: _, isNew: __, ...draft }: Draft): Sent => ({
  ...draft,
  ports: hasPorts(draft.protocol) ? partsOf(draft.ports) : [],
  remote_cidrs: partsOf(draft.remote_cidrs),
  icmp_type: draft.protocol === 'icmp' ? draft.icmp_type : null,
});

export const editsOf = ({ default_in, default_out, rules }: FirewallRow): Edits => ({
  default_in,
  default_out,
  drafts: rules.map(draftOf),
});

const asText = (rule: Sent): string => JSON.stringify(Object.entries(rule).toSorted());

/** Only what differs from the firewall as it was read. */
export function changeOf(start: FirewallRow, { default_in, default_out, drafts }: Edits) {
  const before = start.rules.map((rule) => asText(sentOf(draftOf(rule))));
  const rules = drafts.map(sentOf);
  const isSame = rules.length === before.length && rules.every((rule, i) => asText(rule) === before[i]);
  return {
    ...(default_in === start.default_in ? {} : { default_in }),
    ...(default_out === start.default_out ? {} : { default_out }),
    ...(isSame ? {} : { rules }),
  };
}

export type Mark = 'new' | 'changed' | null;

export function markOf(start: FirewallRow, draft: Draft): Mark {
  const before = start.rules.find(({ id }) => id === draft.key);
  if (before === undefined) return 'new';
  return asText(sentOf(draftOf(before))) === asText(sentOf(draft)) ? null : 'changed';
}

/** Whether both let the same through, whatever else has changed. */
export const isSameWall = (a: FirewallRow, b: FirewallRow): boolean =>
  Object.keys(changeOf(a, editsOf(b))).length === 0;

const EMPTY: Omit<Draft, 'key'> = {
  direction: 'in',
  action: 'allow',
  protocol: 'tcp',
  ports: '',
  remote_cidrs: '',
  remote_firewall_ids: [],
  icmp_type: null,
  enabled: true,
  description: '',
};

export const newDraft = (values: Partial<Draft> = {}): Draft => ({
  ...EMPTY,
  ...values,
  key: newKey(),
  isNew: true,
});

const ECHO = 8;

export const presets: readonly {
  readonly label: string;
  readonly rules: readonly Partial<Draft>[];
}[] = [
  { label: 'SSH (TCP 22)', rules: [{ ports: '22', description: 'SSH' }] },
  { label: 'HTTP (TCP 80)', rules: [{ ports: '80', description: 'HTTP' }] },
  {
    label: 'HTTPS (TCP and UDP 443)',
    rules: [
      { ports: '443', description: 'HTTPS' },
      { protocol: 'udp', ports: '443', description: 'HTTP/3' },
    ],
  },
  {
    label: 'Ping (ICMP)',
    rules: [
      { protocol: 'icmp', icmp_type: ECHO, description: 'Ping over IPv4' },
      { protocol: 'icmpv6', description: 'Ping and errors over IPv6' },
    ],
  },
];

const protocols: Readonly<Record<Rule['protocol'], string>> = {
  tcp: 'TCP',
  udp: 'UDP',
  icmp: 'ICMP',
  icmpv6: 'ICMPv6',
  any: 'All protocols',
};
export const protocolNames = Object.entries(protocols) as readonly (readonly [Rule['protocol'], string])[];

/** One line, for people who compare. */
export function inWords(rule: Rule): string {
  const { direction, action, protocol, ports, remote_cidrs, remote_firewall_ids, description } = rule;
  const others = [
    ...remote_cidrs,
    ...(remote_firewall_ids.length === 0 ? [] : [`machines of ${remote_firewall_ids.length} firewalls`]),
  ];
  return [
    action === 'allow' ? 'Allows' : 'Drops',
    [protocols[protocol], ...ports].join(' '),
    direction === 'in' ? 'from' : 'to',
    others.length === 0 ? 'everybody' : others.join(', '),
    ...(description === '' ? [] : [`(${description})`]),
  ].join(' ');
}
