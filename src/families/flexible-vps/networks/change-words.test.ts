import { expect, it } from 'vitest';
import type { Telling } from '../../../kernel/change-words/change-words.ts';
import { networkWords } from './change-words.ts';

const telling = { noun: 'network', subject: 'the network "lan"' } as Telling;

async function said(member: string, before: unknown, after: unknown): Promise<string[]> {
  const changes = [{ pointer: `/${member}`, before, after }];
  const effect = { action: 'update', type: 'network', id: null, name: 'lan', changes } as const;
  return (await networkWords.say(effect, telling)).map(
    ({ text, loosens }) => `${loosens ? '! ' : ''}${text}`,
  );
}

const route = (destination: string, next_hop: string, description = '') => ({
  destination,
  next_hop,
  description,
});

it('a changed route is described by its destination and next hop', async () => {
  const office = route('192.168.50.0/24', '10.0.0.20');
  expect(await said('routes', [office], [route('192.168.60.0/24', '10.0.0.20')])).toEqual([
    '! routes 192.168.60.0/24 through 10.0.0.20 in the network "lan"',
    'no longer routes 192.168.50.0/24 through 10.0.0.20 in the network "lan"',
  ]);
  expect(await said('routes', [office], [{ ...office, description: 'Office' }])).toEqual([
    'changes the descriptions or the order of the routes of the network "lan"',
  ]);
});

it('a new DNS server loosens, and the way back to those of the provider does not', async () => {
  const dns = (servers: string[], domain: string | null = null) => ({ servers, domain });
  expect(await said('dns', dns([]), dns(['10.0.0.2']))).toEqual([
    '! lets the DNS server 10.0.0.2 answer the machines in the network "lan"',
  ]);
  expect(await said('dns', dns(['10.0.0.2']), dns([], 'lan.example'))).toEqual([
    'no longer lets the DNS server 10.0.0.2 answer the machines in the network "lan"',
    'sets the domain of the network "lan" to lan.example',
  ]);
});

it('a changed NAT is described as access to the internet, and switching it on loosens', async () => {
  expect(await said('nat', { ipv4: false, ipv6: true }, { ipv4: true, ipv6: false })).toEqual([
    '! lets the machines in the network "lan" out to the internet by IPv4',
    'no longer lets the machines in the network "lan" out to the internet by IPv6',
  ]);
});
