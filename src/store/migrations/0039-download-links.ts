import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * Links to download files are rows, so that they can be listed and ended. A link ends with the API key or the portal
 * session that made it, and with its file. Links of earlier versions, which were only sealed texts, end with the upgrade.
 * The end of a link is notified like a change of rights, because downloads that are running have to be cut.
 */
const statements = `
create table download_links (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  resource_id text collate "C" not null,
  api_key_id text collate "C" references api_keys on delete cascade,
  session_id text collate "C" references sessions on delete cascade,
  member_id text collate "C",
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  uses int not null default 0,
  constraint download_links_bearer check (num_nonnulls(api_key_id, session_id) = 1)
);
create index download_links_by_resource on download_links (resource_id, id);
create index download_links_by_account on download_links (account_id, id);
create index download_links_by_key on download_links (api_key_id) where api_key_id is not null;
create index download_links_by_session on download_links (session_id) where session_id is not null;
comment on column download_links.api_key_id is 'API key fact: the link ends with the key that made it';
create index download_links_expiry on download_links (expires_at);

create trigger download_links_access after delete on download_links
  for each row execute function access_changed();

-- A link that was made before a suspension must not work after it.
create function end_links_of_key() returns trigger language plpgsql as $$
begin
  delete from download_links where api_key_id = new.id;
  return null;
end $$;
create trigger api_keys_end_links after update of status on api_keys
  for each row when (new.status <> 'active') execute function end_links_of_key();

create function end_links_of_account() returns trigger language plpgsql as $$
begin
  delete from download_links where account_id = new.id
    and (api_key_id is not null or new.status not in ('active', 'restricted'));
  return null;
end $$;
create trigger accounts_end_links after update of status, keys_suspended on accounts
  for each row when (new.keys_suspended or new.status not in ('active', 'restricted'))
  execute function end_links_of_account();

create function end_links_of_member() returns trigger language plpgsql as $$
begin
  delete from download_links where account_id = old.account_id
    and (api_key_id in (select id from api_keys where owner_id = old.id)
      or session_id in (select id from sessions where person_id = old.person_id));
  return null;
end $$;
create trigger members_end_links after update of status on members
  for each row when (new.status <> 'active') execute function end_links_of_member();
create trigger members_gone_end_links after delete on members
  for each row execute function end_links_of_member();

create function end_links_of_backup() returns trigger language plpgsql as $$
begin
  delete from download_links where resource_id = old.id;
  return null;
end $$;
create trigger vm_backups_end_links after update of status on vm_backups
  for each row when (new.status <> 'available') execute function end_links_of_backup();
create trigger vm_backups_gone_end_links after delete on vm_backups
  for each row execute function end_links_of_backup();
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
