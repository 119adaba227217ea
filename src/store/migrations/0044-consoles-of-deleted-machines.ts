import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * A console ends when the deletion of its machine begins, like the download links of a backup. This is notified like a
 * change of rights, which every open console of the account hears.
 */
const statements = `
create function end_consoles_of_vm() returns trigger language plpgsql as $$
begin
  delete from console_sessions where vm_id = new.id;
  if found then
    perform pg_notify('hostplane_access', new.account_id);
  end if;
  return null;
end $$;
create trigger vms_end_consoles after update of status on vms
  for each row when (new.status = 'deleting') execute function end_consoles_of_vm();
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
