import { expect, it } from 'vitest';
import { formatNumber } from '../../../portal/src/data/sizes.ts';
import { titleOf } from '../../../portal/src/pages/operations/words.ts';
import { answerOf } from '../../../portal/src/pages/webhooks/words.ts';
import { AttemptFaultShape } from '../../operations/webhooks/tables.ts';

it('a size is said in the larger unit only if it is a round number of it', () => {
  expect([20_000, 2048, 512, 1500.5].map((gb) => formatNumber(gb, 'GB'))).toEqual([
    '20,000 GB',
    '2 TB',
    '512 GB',
    '1.5 TB',
  ]);
});

it('a message to a webhook that failed says why in words, whatever the reason is', () => {
  const { enum: codes } = AttemptFaultShape as unknown as { readonly enum: readonly string[] };
  const withoutStatus = codes.filter((code) => code !== 'http_status');
  expect(withoutStatus.length).toBeGreaterThan(4);
  for (const code of withoutStatus) expect(answerOf(null, code)).toMatch(/^the(re)? [a-z]+ .* /i);
  expect(answerOf(503, 'http_status')).toBe('answered 503');
});

it('the title of an operation has the name of its resource, and no id', () => {
  const id = 'nic_01hzx5j3t5w9q6r2n8v4c7m0ab';
  const title = (name: string | null, given: string | null) =>
    titleOf({ type: 'interface.attach', resource: { type: 'interface', id: given, name } });
  expect([title('eth1', id), title(null, id), title(null, null)]).toEqual([
    'Attach interface eth1',
    'Attach interface',
    'Attach interface',
  ]);
});
