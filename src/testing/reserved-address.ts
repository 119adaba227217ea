/** A reserved address, without a call: allocated, in the inventory, and billed. */
import { addresses } from '../resources/addresses/resource.ts';
import { allocateAddress, type PublicAddressRow } from '../resources/addresses/store.ts';
import type { TestApp } from './app.ts';

interface Owner {
  readonly app: Pick<TestApp, 'services'>;
  readonly account: { readonly id: string };
  readonly key?: { readonly id: string };
}

export async function reserveFor(
  { app: { services }, account, key }: Owner,
  { location = 'fra1', version = 4 as 4 | 6, name = undefined as string | undefined } = {},
): Promise<PublicAddressRow> {
  const { db, provider } = services;
  const row = await allocateAddress(db, {
    pools: provider.catalogue.address_pools,
    location,
    version,
    accountId: account.id,
    kind: 'reserved',
    vmId: null,
    now: new Date(),
  });
  if (row === null) throw new Error('The pool is used up.');
  const apiKeyId = key?.id ?? null;
  if (name === undefined) {
    await addresses.note(db, row, { services, apiKeyId });
    return row;
  }
  const named = await addresses.change(db, row.id, { name }, { services, apiKeyId });
  return named ?? row;
}
