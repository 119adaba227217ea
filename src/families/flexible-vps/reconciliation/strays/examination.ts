import type { Examination } from '../../../../kernel/registry.ts';
import type { Db } from '../../../../store/database.ts';
import { countStrays } from './store.ts';

const FIX =
  'Find out whose they are: see first_seen_at in the table vm_strays, and the log. Remove those without an owner at the engine; this is never done for you.';

export async function examineStrays(db: Db): Promise<Examination[]> {
  const strays = await countStrays(db);
  const name = 'Stray machines';
  if (strays.length === 0) return [{ name, detail: 'none seen at the engines' }];
  const places = strays.map(({ location, count, example }) => `${count} in ${location}, such as ${example}`);
  return [{ name, detail: `Engines have machines that nobody owns: ${places.join('; ')}.`, fix: FIX }];
}
