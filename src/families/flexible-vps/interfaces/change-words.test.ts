import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ForeseenChange } from '../../../kernel/change-words/change-words.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';

let app: TestApp;
let mine: VpsAccount;
beforeAll(async () => {
  app = await createTestApp();
  mine = await VpsAccount.open(app);
});
afterAll(() => app.close());

async function foreseen(path: string, body: object): Promise<ForeseenChange[]> {
  const answer = await mine.send('POST', `${path}?dry_run=true`, body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ changes: ForeseenChange[] }>().changes;
}

it('a new interface is described by network, address and firewalls, and loosens if others are in the network', async () => {
  const range = { ipv4_cidr: '10.99.7.0/24', ipv6: false, nat: { ipv4: false } };
  const network_id = await mine.network({ name: 'backend', ...range });
  const vm = await mine.vm({ name: 'web' });
  const attach = { network_id, ipv4: '10.99.7.20' };
  const connects = 'connects the machine "web" to the private network "backend" with 10.99.7.20';
  expect(await foreseen(`vms/${vm.id}/interfaces`, attach)).toEqual([
    { text: `${connects}, in which nobody else is`, loosens: false },
  ]);
  await mine.vm({ networks: [{ network_id }] });
  expect(await foreseen(`vms/${vm.id}/interfaces`, attach)).toEqual([
    { text: `${connects}, under no firewall`, loosens: true },
  ]);
});

it('the first public address of an IP version connects a machine to the internet', async () => {
  const network_id = await mine.network();
  const hidden = await mine.vm({
    networks: [{ network_id }],
    public_ipv4: { mode: 'none' },
    public_ipv6: false,
  });
  const shown = await mine.vm();
  const { id, block } = await mine.reserveAddress();
  const [address] = String(block).split('/');
  const texts = async (vmId: string) => foreseen(`vms/${vmId}/public-ips`, { ip_id: id });
  expect(await texts(hidden.id)).toEqual([
    {
      text: `connects the machine "${hidden.name}" to the internet by the public address ${address}`,
      loosens: true,
    },
  ]);
  expect(await texts(shown.id)).toEqual([
    { text: `attaches the public address ${address} to the machine "${shown.name}"`, loosens: false },
  ]);
});
