import { expect, it } from 'vitest';
import { createTestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';

it('listVms with a private address finds the machine of the account, not those of others', async () => {
  const t = await createTestApp();
  const found: string[][] = [];
  const expected: string[][] = [];
  const accounts = [await VpsAccount.open(t), await VpsAccount.open(t)];
  for (const account of accounts) {
    const vm = await account.vm();
    const network = await account.network({ ipv4_cidr: '10.77.0.0/24' });
    await account.attach(vm.id, network, { ipv4: '10.77.0.5' });
    expected.push([vm.id], []);
  }
  for (const account of accounts)
    for (const address of ['10.77.0.5', '10.77.0.6']) {
      const answer = await account.send('GET', `vms?ip=${address}`);
      found.push(answer.json<{ data: { id: string }[] }>().data.map(({ id }) => id));
    }
  expect(found).toEqual(expected);
  await t.close();
});
