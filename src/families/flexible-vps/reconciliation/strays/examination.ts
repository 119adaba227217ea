import type { Examination } from '../../../../kernel/registry.ts';
import type { Db } from '../../../../store/database.ts';
import { countStrays, type StrayTable } from './store.ts';

const fixOf = (table: StrayTable): string =>
  `Find out whose they are: see first_seen_at in the table ${table}, and the log. Remove those without an owner at the engine; this is never done for you.`;

async function examine(db: Db, table: StrayTable, things: string): Promise<Examination> {
  const strays = await countStrays(db, table);
  const name = `Stray ${things}`;
  if (strays.length === 0) return { name, detail: 'none seen at the engines' };
  const places = strays.map(({ location, count, example }) => `${count} in ${location}, such as ${example}`);
  const detail = `Engines have ${things} that nobody owns: ${places.join('; ')}.`;
  return { name, detail, fix: fixOf(table) };
}

export const examineStrays = async (db: Db): Promise<Examination[]> => [
  await examine(db, 'vm_strays', 'machines'),
  await examine(db, 'volume_strays', 'volumes'),
  await examine(db, 'vpn_gateway_strays', 'VPN gateways'),
  await examine(db, 'iso_strays', 'ISOs'),
];
