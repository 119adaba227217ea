import { expect, it } from 'vitest';
import type { ChangeWords, Telling } from '../../../kernel/change-words/change-words.ts';
import { gatewayWords } from '../vpn-gateways/change-words.ts';
import { peerWords } from './change-words.ts';

async function said(words: ChangeWords, subject: string, member: string, before: unknown, after: unknown) {
  const changes = [{ pointer: `/${member}`, before, after }];
  const effect = { action: 'update', type: 'x', id: null, name: null, changes } as const;
  const found = await words.say(effect, { subject } as Telling);
  return found.map(({ text, loosens }) => `${loosens ? '! ' : ''}${text}`);
}

const EARLY = '2027-01-01T00:00:00.000Z';
const LATE = '2028-01-01T00:00:00.000Z';

it.each<[string, unknown, unknown, string[]]>([
  ['enabled', false, true, ['! lets the peer connect again']],
  ['enabled', true, false, ['locks the peer out']],
  ['expires_at', EARLY, LATE, [`! the peer may connect until ${LATE} instead of ${EARLY}`]],
  ['expires_at', LATE, EARLY, [`the peer may connect until ${EARLY} instead of ${LATE}`]],
  ['expires_at', EARLY, null, [`! the peer may connect without an end instead of until ${EARLY}`]],
  ['expires_at', null, EARLY, [`the peer may connect only until ${EARLY}`]],
  ['public_key', 'a', 'b', ['! lets a device with another key in as the peer, in place of the present one']],
  [
    'routed_cidrs',
    ['10.1.0.0/16'],
    ['10.2.0.0/16'],
    ['! lets 10.2.0.0/16 in through the peer', 'no longer lets 10.1.0.0/16 in through the peer'],
  ],
  ['routed_cidrs', ['10.1.0.0/24'], ['10.1.0.0/25'], ['no longer lets 10.1.0.128/25 in through the peer']],
  [
    'routed_cidrs',
    ['10.1.0.0/24'],
    ['10.1.0.0/25', '10.1.0.128/25'],
    ['lets the same addresses in through the peer'],
  ],
  ['routed_cidrs', ['10.1.0.0/25'], ['10.1.0.0/24'], ['! lets 10.1.0.128/25 in through the peer']],
  ['routed_cidrs', [], ['10.1.0.0/24'], ['! lets 10.1.0.0/24 in through the peer']],
])('%s of a peer from %j to %j', async (member, before, after, wanted) => {
  expect(await said(peerWords, 'the peer', member, before, after)).toEqual(wanted);
});

it('a new DNS server of a gateway answers its peers', async () => {
  const [old, fresh] = ['10.0.0.2', '10.0.0.3'];
  expect(await said(gatewayWords, 'the gateway', 'dns_servers', [old], [fresh])).toEqual([
    '! lets the DNS server 10.0.0.3 answer the peers of the gateway',
    'no longer lets the DNS server 10.0.0.2 answer the peers of the gateway',
  ]);
  expect(await said(gatewayWords, 'the gateway', 'dns_servers', [old, fresh], [fresh, old])).toEqual([
    'changes the order of the DNS servers of the gateway',
  ]);
});

it('changed networks of a gateway are described as what its peers can reach', async () => {
  expect(
    await said(gatewayWords, 'the gateway', 'network_ids', ['net_a', 'net_b'], ['net_b', 'net_c']),
  ).toEqual([
    '! lets the peers of the gateway into the network net_c',
    'takes the network net_a from the peers of the gateway',
  ]);
});
