import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readDefaultText } from '../../../provider/default.ts';
import { loadProvider } from '../../../provider/load.ts';
import { createTestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';

const file = fileURLToPath(new URL('../../../testing/fixtures/small-provider.yaml', import.meta.url));

it('a provider whose file has no faults and only what machines need sells a machine with default settings', async () => {
  const loaded = loadProvider({ file, env: {}, defaultText: readDefaultText() });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const app = await createTestApp({ provider: () => loaded.config });
  try {
    const vps = await VpsAccount.open(app);
    const source = { type: 'image', image_id: 'debian-12' };
    const vm = await vps.vm({ location: 'here', plan: 'small', source });
    expect(vm).toMatchObject({ status: 'running', primary_ipv4: '192.0.2.2', price: { monthly: '5.60' } });
    const list = await app.call({ url: '/account/v1/pricing/catalogue?limit=100', key: vps.key });
    const skus = list.json<{ data: { sku: string }[] }>().data.map(({ sku }) => sku);
    const own = loaded.config.catalogue.prices.map(({ sku }) => sku);
    expect(skus.filter((sku) => !sku.startsWith('free.')).sort()).toEqual([...own].sort());
  } finally {
    await app.close();
  }
});
