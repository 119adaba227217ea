import { sql } from 'kysely';
import type { Db } from '../../../../store/database.ts';

/** Whether somebody else is in the network of a private interface, or its machine gets a way to the internet by it. */
export async function reachesOthers(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ reaches: boolean }>`
    select exists (select from vm_interfaces o where o.network_id = i.network_id and o.id <> i.id)
      or exists (select from vpn_gateway_networks g where g.network_id = i.network_id)
      or ((n.nat->>'ipv4')::bool or (n.nat->>'ipv6')::bool) and not exists (
        select from public_addresses p join vm_interfaces own on own.id = p.interface_id where own.vm_id = i.vm_id)
      as reaches
    from vm_interfaces i join vps_networks n on n.id = i.network_id where i.id = ${id}`.execute(db);
  return rows[0]?.reaches ?? true;
}
