import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * People call endpoints in the portal. What they hold open (calls that wait, streams, consoles) ends with their session,
 * so the end of a session is notified to their accounts, like a change of their role.
 */
const statements = `
alter table console_sessions alter column api_key_id drop not null;
alter table console_sessions
  add column session_id text collate "C" references sessions on delete cascade,
  add constraint console_sessions_bearer check (num_nonnulls(api_key_id, session_id) = 1);
create index console_sessions_by_session on console_sessions (session_id);

create function session_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('hostplane_access', account_id) from members where person_id = old.person_id;
  return null;
end $$;
create trigger sessions_access after delete on sessions for each row execute function session_ended();
create trigger members_person_access after update of person_id on members
  for each row execute function access_changed();
create trigger accounts_mfa_access after update of mfa_required on accounts
  for each row execute function account_changed();

-- A token that was not used before a suspension must not open a console after it.
create function end_console_tokens_of_member() returns trigger language plpgsql as $$
begin
  delete from console_sessions c using sessions s
  where c.session_id = s.id and s.person_id = new.person_id and c.account_id = new.account_id and c.opened_at is null;
  return null;
end $$;
create trigger members_end_console_tokens after update of status on members
  for each row when (new.status <> 'active') execute function end_console_tokens_of_member();
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
