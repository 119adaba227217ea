/** The part of `doctor` for the names of addresses: those that a nameserver refuses again and again. */
import type { Examination } from '../../../kernel/registry.ts';
import type { Db } from '../../../store/database.ts';
import { readTrouble } from './store.ts';

export async function examineReverseRecords(db: Db): Promise<readonly Examination[]> {
  const name = 'names of addresses';
  const { failed, address, reason } = await readTrouble(db);
  if (failed === 0) return [{ name, detail: 'the nameservers refuse none' }];
  return [
    {
      name,
      detail: `the nameservers refuse ${failed}, such as that of ${address}: ${reason}`,
      fix: 'Create the zone that is missing, or correct it with pdnsutil check-zone. The names are tried again every minute.',
    },
  ];
}
