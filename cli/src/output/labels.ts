/** What people call the members of an answer: "Memory" for `memory_mb`, "Placement group" for `placement_group_id`. */
import type { Schema } from '../document/schema.ts';

/** Words that are not written like others. */
const spellings: Readonly<Record<string, string>> = {
  api: 'API',
  id: 'ID',
  ids: 'IDs',
  ip: 'IP',
  ips: 'IPs',
  ipv4: 'IPv4',
  ipv6: 'IPv6',
  os: 'OS',
  ssh: 'SSH',
  iso: 'ISO',
  dns: 'DNS',
  nat: 'NAT',
  mac: 'MAC',
  mtu: 'MTU',
  url: 'URL',
  vcpus: 'vCPUs',
  vm: 'VM',
  vms: 'VMs',
  vpn: 'VPN',
  cidr: 'CIDR',
  sha256: 'SHA-256',
};

const plural = (noun: string): string =>
  noun
    .replace(/(?<![aeiou])y$/, 'ie')
    .replace(/s$/, 'se')
    .concat('s');

/** The member as words, in lower case. The unit stands behind the value, and an id is shown as the name it stands for. */
export function wordsOf(name: string, schema: Schema): string {
  const ids = /^(.+)_ids$/.exec(name);
  if (ids !== null) return plural(ids[1] ?? '').replaceAll('_', ' ');
  // Only the id of a resource is shown as a name; others, such as a public id, are shown as they are.
  const isOther = schema.type !== undefined && schema.pattern === undefined;
  const unit =
    schema['x-unit'] === undefined ? name : name.replace(/_(gb|mb|bytes|seconds|percent|hours)$/, '');
  return (isOther ? unit : unit.replace(/(?<=.)_id$/, '')).replaceAll('_', ' ');
}

const spelled = (words: string): string =>
  words
    .split(' ')
    .map((word) => spellings[word] ?? word)
    .join(' ');

export function labelOf(name: string, schema: Schema): string {
  const words = schema['x-label'] ?? spelled(wordsOf(name, schema));
  return /^[a-z]/.test(words) && !words.startsWith('vCPU')
    ? words.charAt(0).toUpperCase() + words.slice(1)
    : words;
}
