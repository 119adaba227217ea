import { parseAddress } from '../../../kernel/net/address.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import type { World } from '../../../laws/world.ts';
import {
  allocateAddress,
  type PublicAddressRow,
  releaseAddress,
} from '../../../resources/addresses/store.ts';
import { recordIdOf } from './record-id.ts';

async function reserve({ app, account }: World, version: 4 | 6): Promise<PublicAddressRow> {
  const { db, provider } = app.services;
  const pools = provider.catalogue.address_pools;
  const row = await allocateAddress(db, {
    pools,
    location: 'fra1',
    version,
    accountId: account.id,
    kind: 'reserved',
    vmId: null,
    now: new Date(),
  });
  if (row === null) throw new Error('There is no public address left.');
  return row;
}

const idIn = ({ block }: PublicAddressRow): string => recordIdOf(parseAddress(block.split('/')[0] ?? '')!);

/** An address of a new IPv6 prefix, which has no name yet. */
const unnamed = async (world: World) => ({ params: { id: idIn(await reserve(world, 6)) } });

export const fixture: Fixture = {
  collection: '/ip-management/v1/dns/reverse-records',
  make: async (world) => idIn(await reserve(world, 4)),
  async remove({ app }, id) {
    const { db } = app.services;
    const row = await db
      .selectFrom('reverse_records')
      .select('address_id')
      .where('id', '=', id)
      .executeTakeFirst();
    if (row?.address_id != null) await releaseAddress(db, row.address_id, new Date());
  },
  async addRow(world, name) {
    const id = idIn(await reserve(world, 4));
    await world.app.services.db
      .updateTable('reverse_records')
      .set({ hostname: `${name}.example.com` })
      .where('id', '=', id)
      .execute();
  },
  variations: { setReverseRecord: { 'of an IPv6 address': unnamed } },
  counted: { setReverseRecord: { 'of an IPv6 address': unnamed } },
};
