/**
 * Every member of a request that takes an address, a range, a host or a URL is marked with its purpose, and the value is
 * checked by the rule of this purpose before a handler sees it. `src/laws/chosen-addresses.test.ts` finds unmarked members.
 */
import { valuesOf } from './member-marks.ts';
import {
  type AddressFault,
  dnsServer,
  firewallRange,
  hostName,
  noRule,
  privateAddress,
  privateRange,
  routedRange,
} from './net/address-rules.ts';
import { calledEndpoint, calledUrl, type Refusals } from './net/called-hosts.ts';
import { type FieldError, MAX_FIELD_ERRORS } from './problems/problem.ts';
import type { TSchema } from './schema.ts';

type Rule = (text: string, egress: Refusals) => AddressFault | null;

export const addressRules = {
  /** A URL that we call. */
  called_url: calledUrl,
  /** The host and port that a VPN gateway calls. */
  called_endpoint: calledEndpoint,
  /** The range of a private network. */
  network_range: privateRange(16, 28),
  /** The range of the tunnel of a VPN gateway. */
  tunnel_range: privateRange(20, 28),
  /** The destination of a route in a private network. */
  route_destination: routedRange({ orAll: true }),
  /** A subnet behind a VPN peer. */
  peer_subnet: routedRange({ orAll: false }),
  /** An address in a private network or tunnel. The handler checks that it is in the right one, and free. */
  private_address: privateAddress,
  dns_server: dnsServer,
  /** The other side in a rule of a firewall. */
  firewall_range: firewallRange,
  /** Addresses that callers may have; `checkCidr` judges it with `callerRange`, because its refusals have more to say. */
  caller_range: noRule,
  host_name: hostName,
  /** A filter: nothing is sent to the address. */
  filter: noRule,
} satisfies Record<string, Rule>;

export type AddressPurpose = keyof typeof addressRules;

/** The mark is for the checks and the laws; it is not published. */
export const ADDRESS_PURPOSE = 'x-address-purpose';

export const addressFor = (purpose: AddressPurpose) => ({ [ADDRESS_PURPOSE]: purpose });

/** By JSON Pointer, where an asterisk stands for any item of a list: the marked members. */
export const chosenAddressesIn = (schema: TSchema): [string, AddressPurpose][] =>
  valuesOf(schema, ADDRESS_PURPOSE) as [string, AddressPurpose][];

const known = new WeakMap<TSchema, [string[], AddressPurpose][]>();

function placesIn(schema: TSchema): [string[], AddressPurpose][] {
  const found =
    known.get(schema) ??
    chosenAddressesIn(schema).map(([pointer, purpose]): [string[], AddressPurpose] => [
      pointer.split('/').slice(1),
      purpose,
    ]);
  known.set(schema, found);
  return found;
}

/** The texts at a place, with their pointers. */
function textsAt(value: unknown, [name, ...rest]: readonly string[], pointer = ''): [string, string][] {
  if (name === undefined) return typeof value === 'string' ? [[pointer, value]] : [];
  if (value === null || typeof value !== 'object') return [];
  if (name === '*')
    return Array.isArray(value)
      ? value.flatMap((item, index) => textsAt(item, rest, `${pointer}/${index}`))
      : [];
  return textsAt((value as Readonly<Record<string, unknown>>)[name], rest, `${pointer}/${name}`);
}

/** The faults of the addresses in a value. Members that the schema already refuses are the caller's to leave out. */
export function addressFaults(schema: TSchema, value: unknown, egress: Refusals): FieldError[] {
  return placesIn(schema)
    .flatMap(([place, purpose]) =>
      textsAt(value, place).flatMap(([pointer, text]): FieldError[] => {
        const rule: Rule = addressRules[purpose];
        const found = rule(text, egress);
        return found === null ? [] : [{ pointer, ...found }];
      }),
    )
    .slice(0, MAX_FIELD_ERRORS);
}
