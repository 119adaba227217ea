/** Checks the rules of a request and brings them into the form in which they are stored. */
import { canonicalJson } from '../../../kernel/audit/canonical-json.ts';
import type { Call } from '../../../kernel/call.ts';
import { parseCidr } from '../../../kernel/net/cidr.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import { newRuleId } from './resource.ts';
import type { NewRule } from './schema.ts';
import type { StoredRule } from './table.ts';

/** The most entries that the rules of all firewalls may be for one machine. */
export const MOST_ENTRIES = 1000;

type Draft = Omit<StoredRule, 'id'>;

const fault = (pointer: string, code: FieldError['code'], detail: string): FieldError => ({
  pointer,
  code,
  detail,
});

export interface Ports {
  readonly from: number;
  readonly to: number;
}

export function readPorts(text: string): Ports | null {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  return from >= 1 && from <= to && to <= 65_535 ? { from, to } : null;
}

const writePorts = ({ from, to }: Ports): string => (from === to ? String(from) : `${from}-${to}`);

function portsOf({ protocol, ports = [] }: NewRule, pointer: string, faults: FieldError[]): string[] {
  if (ports.length > 0 && protocol !== 'tcp' && protocol !== 'udp')
    faults.push(fault(`${pointer}/ports`, 'incompatible', 'Only rules for tcp and udp have ports.'));
  const read = ports.map((text, i) => {
    const range = readPorts(text);
    if (range === null)
      faults.push(
        fault(
          `${pointer}/ports/${i}`,
          'out_of_range',
          'Write a port from 1 to 65535, or a range such as 8000-8100 that begins with the smaller port.',
        ),
      );
    return range;
  });
  const known = read.filter((range) => range !== null).sort((a, b) => a.from - b.from || a.to - b.to);
  return [...new Set(known.map(writePorts))];
}

type Asking = Pick<Call, 'warn'>;

function rangesOf(
  { warn }: Asking,
  { remote_cidrs = [] }: NewRule,
  pointer: string,
  faults: FieldError[],
): string[] {
  const found = remote_cidrs.flatMap((text, i) => {
    const at = `${pointer}/remote_cidrs/${i}`;
    const parsed = parseCidr(text);
    if (parsed === null) {
      faults.push(fault(at, 'invalid_format', 'Write an IPv4 or IPv6 range such as 203.0.113.0/24.'));
      return [];
    }
    const { cidr, exact } = parsed;
    if (!exact)
      warn({
        code: 'host_bits_zeroed',
        detail: `${text} has bits set beyond its prefix: ${cidr.text} is used.`,
        pointer: at,
      });
    return [cidr.text];
  });
  return [...new Set(found)].sort();
}

/** Adds what is wrong with the rule to `faults`. */
function draftOf(call: Asking, rule: NewRule, pointer: string, faults: FieldError[]): Draft {
  const { direction, action, protocol, icmp_type = null, enabled = true, description = '' } = rule;
  if (icmp_type !== null && protocol !== 'icmp')
    faults.push(fault(`${pointer}/icmp_type`, 'incompatible', 'Only rules for icmp have an icmp_type.'));
  return {
    direction,
    action,
    protocol,
    ports: portsOf(rule, pointer, faults),
    remote_cidrs: rangesOf(call, rule, pointer, faults),
    remote_firewall_ids: [...new Set(rule.remote_firewall_ids ?? [])].sort(),
    icmp_type,
    enabled,
    description,
  };
}

/** Rules with the same key do the same. */
export function keyOf({ description: _, ...rule }: Draft & { readonly id?: string }): string {
  const { id: __, ...rest } = rule;
  return canonicalJson(rest);
}

/** A rule that is already there keeps its id. */
export function storedRules(
  call: Asking,
  wanted: readonly NewRule[],
  present: readonly StoredRule[],
  pointer: string,
): { readonly rules: StoredRule[]; readonly faults: FieldError[] } {
  const faults: FieldError[] = [];
  const ids = new Map(present.map((rule) => [keyOf(rule), rule.id]));
  const seen = new Set<string>();
  const rules = wanted.map((rule, i) => {
    const draft = draftOf(call, rule, `${pointer}/${i}`, faults);
    const key = keyOf(draft);
    if (seen.has(key))
      faults.push(fault(`${pointer}/${i}`, 'not_unique', 'The list has the same rule twice.'));
    seen.add(key);
    return { id: ids.get(key) ?? newRuleId(), ...draft };
  });
  return { rules, faults };
}

/** One rule of a request, which is the whole body. */
export function storedRule(call: Asking, rule: NewRule): { rule: StoredRule; faults: FieldError[] } {
  const faults: FieldError[] = [];
  return { rule: { id: newRuleId(), ...draftOf(call, rule, '', faults) }, faults };
}

/** What a rule counts for the limit of a machine: each port range with each remote. */
export const entriesOf = (rules: readonly StoredRule[]): number =>
  rules.reduce(
    (sum, { enabled, ports, remote_cidrs, remote_firewall_ids }) =>
      sum +
      (enabled
        ? Math.max(1, ports.length) * Math.max(1, remote_cidrs.length + remote_firewall_ids.length)
        : 0),
    0,
  );

const MANAGEMENT = [22, 3389];

/** Whether somebody could still sign in over SSH or remote desktop. */
export const letsManage = (defaultIn: StoredRule['action'], rules: readonly StoredRule[]): boolean => {
  const about = rules.filter(
    ({ enabled, direction, protocol, ports }) =>
      enabled &&
      direction === 'in' &&
      (protocol === 'any' || protocol === 'tcp') &&
      (ports.length === 0 ||
        ports
          .map(readPorts)
          .some((range) => range && MANAGEMENT.some((port) => range.from <= port && port <= range.to))),
  );
  return defaultIn === 'allow' || about.some(({ action }) => action === 'allow');
};
