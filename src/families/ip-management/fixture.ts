/** Compares the names of addresses with what the nameservers have. */
import { isDeepStrictEqual } from 'node:util';
import { dnsPort } from '../../engines/dns/port.ts';
import { engineAt } from '../../engines/engine-step.ts';
import { type Row, rowsIn } from '../../laws/account-rows.ts';
import type { Fixture } from '../../laws/fixture.ts';
import type { World } from '../../laws/world.ts';
import { wantedName } from './reverse-records/present.ts';
import type { ReverseRecordRow } from './reverse-records/table.ts';

async function recordFaults({ app }: World, row: ReverseRecordRow): Promise<string[]> {
  // Default names are brought out by the schedules of this family alone.
  if (row.sync_status === 'pending' && row.hostname === null) return [];
  if (row.sync_status !== 'synced') return [`the name of ${row.address} is still ${row.sync_status}`];
  const engine = engineAt(dnsPort.engines(app.services), row.location);
  const seen = (await engine.observePtr(row.address))?.hostnames ?? [];
  const wanted = wantedName(app.services, row);
  return isDeepStrictEqual(seen, wanted === null ? [] : [wanted])
    ? []
    : [`${row.address} is named ${wanted}, and ${seen} at the nameserver`];
}

export const fixture: Fixture = {
  agreement: {
    family: 'ip-management',
    async disagreements(world) {
      const rows = (await rowsIn(world, 'reverse_records')) as (Row & ReverseRecordRow)[];
      return (await Promise.all(rows.map((row) => recordFaults(world, row)))).flat();
    },
    leftovers: async () => [],
    collections: { public_addresses: 'addresses' },
  },
};
