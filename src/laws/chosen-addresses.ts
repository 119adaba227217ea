/** Finds the members of requests that take an address, and the values that make no sense for each purpose. */
import type { AddressPurpose } from '../kernel/chosen-addresses.ts';
import { Slug } from '../kernel/schema.ts';
import type { JsonSchema as PlainSchema } from '../testing/arbitrary.ts';
import { sampleOf } from '../testing/arbitrary.ts';

export interface JsonSchema extends PlainSchema {
  readonly 'x-address-purpose'?: AddressPurpose;
  readonly 'x-ref'?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

interface Member {
  readonly name: string;
  readonly pointer: string;
  /** Of the member, or of the list that it is an item of. */
  readonly description: string;
  readonly schema: JsonSchema;
}

/** All members of a schema that are texts. */
export function textsIn(schema: JsonSchema, pointer = '', from = { name: '', description: '' }): Member[] {
  const { description = from.description, properties = {}, items, anyOf = [], oneOf = [], type } = schema;
  const { name } = from;
  const isText = [type].flat().includes('string') && schema.enum === undefined && schema.const === undefined;
  return [
    ...(isText ? [{ name, pointer, description, schema }] : []),
    ...Object.entries(properties).flatMap(([member, each]) =>
      textsIn(each, `${pointer}/${member}`, { name: member, description: '' }),
    ),
    ...(items === undefined ? [] : textsIn(items, `${pointer}/*`, { name, description })),
    ...[...anyOf, ...oneOf].flatMap((each) => textsIn(each, pointer, { name, description })),
  ];
}

const SLUG = (Slug as JsonSchema).pattern;
const FORMATS = ['ipv4', 'ipv6', 'ip', 'cidr', 'uri', 'url', 'hostname', 'host', 'uri-reference'];
const NAMES =
  /(^|_)(ips?|ipv[46]|cidrs?|ur[il]s?|hosts?|hostname|domain|endpoint|servers?|next_hop|gateway|destination|subnets?|address(es)?)$/;
const WORDS =
  /\b(IPv[46]|IP address|https? address|subnets?|host name|URL|range of addresses|DNS servers?)\b/;
const SAMPLES = ['127.0.0.1', '127.0.0.0/8', '::1', '[::1]:51820', '127.0.0.1:51820', 'https://127.0.0.1/'];

/** Whether a member looks like one for addresses: by its format, its name, its description, or what its pattern takes. */
export function takesAddress({ name, description, schema }: Member): boolean {
  const { format = '', pattern, 'x-ref': reference } = schema;
  const fits = (text: string): boolean => pattern !== undefined && new RegExp(pattern).test(text);
  // A pattern that also takes prose is one for free text. Slugs and ids name something that we have.
  const isPatterned = SAMPLES.some(fits) && !fits('Some words, (mostly) free!');
  if (reference !== undefined || format === 'typeid' || pattern === SLUG) return false;
  return FORMATS.includes(format) || NAMES.test(name) || WORDS.test(description) || isPatterned;
}

/** A value of the schema that has this text at this place. */
export function valueWith(schema: JsonSchema, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) {
    const branch = branches.find(({ properties, items }) => (name === '*' ? items : properties?.[name]));
    return valueWith(branch ?? {}, [name, ...rest], text);
  }
  if (name === '*') return [valueWith(schema.items ?? {}, rest, text)];
  const { properties = {}, required = [] } = schema;
  const others = required.map((member) => [member, sampleOf(properties[member] ?? {})]);
  return { ...Object.fromEntries(others), [name]: valueWith(properties[name] ?? {}, rest, text) };
}

const NEVER = [
  '0.0.0.0',
  '0.1.2.3',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '224.0.0.1',
  '239.255.255.250',
];
const RESERVED = ['240.0.0.1', '255.255.255.255'];
const NEVER_6 = [
  '::',
  '::1',
  '::127.0.0.1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2002:7f00:1::',
  '2001:0:7f00:1::1',
];
/** Other spellings and wrappings of 127.0.0.1 and 169.254.169.254. */
const DISGUISED = ['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '64:ff9b::169.254.169.254'];
const UNREADABLE = [
  '127.1',
  '0177.0.0.1',
  '127.0.0.01',
  '0x7f000001',
  '0x7f.1',
  '2130706433',
  '127.0.0.1.',
  'fe80::1%eth0',
];
const NOT_PUBLIC = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '168.63.129.16',
];
const NOT_PUBLIC_6 = ['fc00::1', 'fd00:ec2::254', '2001:db8::1', '64:ff9b::a00:1'];

const ALWAYS = [...NEVER, ...RESERVED, ...NEVER_6, ...DISGUISED, ...UNREADABLE];
const CALLED = [...ALWAYS, ...NOT_PUBLIC, ...NOT_PUBLIC_6];
const asHost = (text: string): string => (text.includes(':') ? `[${text}]` : text);
const asRange = (text: string): string => `${text}/${text.includes(':') ? 128 : 32}`;
const RANGES = [
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4', '::/128', '::1/128'],
  ...['fe80::/10', 'ff00::/8', '2002::/16', '2001::/32', '::ffff:127.0.0.0/104', '64:ff9b::7f00:0/104'],
  ...['126.0.0.0/7', '10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0'],
];
const ROUTED = [...ALWAYS.map(asRange), ...RANGES];
const LOCAL = [
  '127.0.0.1',
  '127.0.0.0/8',
  '0.0.0.0',
  '0.0.0.0/8',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
];

/** A new purpose needs its list here. */
export const forbidden: Readonly<Record<AddressPurpose, readonly string[]>> = {
  called_url: CALLED.map((text) => `https://${asHost(text)}/x`),
  called_endpoint: [...CALLED.map((text) => `${asHost(text)}:51820`), 'localhost:51820', 'router:51820'],
  network_range: [...ROUTED, '0.0.0.0/0', '8.8.8.0/24', '203.0.113.0/24', 'fd00::/64'],
  tunnel_range: [...ROUTED, '0.0.0.0/0', '8.8.8.0/24', '203.0.113.0/24', 'fd00::/64'],
  route_destination: ROUTED,
  peer_subnet: [...ROUTED, '0.0.0.0/0', '::/0'],
  private_address: [...ALWAYS, '8.8.8.8', '2620:fe::fe', '10.0.0.1/24', 'a.example.com'],
  dns_server: [...ALWAYS, '9.9.9.9/32', 'dns.example.com'],
  firewall_range: [...LOCAL, ...UNREADABLE],
  caller_range: [
    ...LOCAL.filter((text) => !/127|::1|7f00/.test(text)),
    ...RESERVED,
    ...UNREADABLE,
    '224.0.0.1',
    'ff02::1',
  ],
  host_name: ['127.0.0.1', '127.1', '2130706433', '0x7f000001', 'a.0x7f'],
  filter: [],
};

/** One value of each purpose that is fine, so that a rule which refuses everything is found. */
export const sensible: Readonly<Record<AddressPurpose, string>> = {
  called_url: 'https://files.example.com/x',
  called_endpoint: 'office.example.com:51820',
  network_range: '10.10.0.0/24',
  tunnel_range: '10.10.0.0/24',
  route_destination: '0.0.0.0/0',
  peer_subnet: '192.168.50.0/24',
  private_address: '10.10.0.20',
  dns_server: '9.9.9.9',
  firewall_range: '0.0.0.0/0',
  caller_range: '203.0.113.0/24',
  host_name: 'web-1.example.com',
  filter: '127.0.0.1',
};
