import type { CompiledQuery } from 'kysely';
import type { Db } from '../../../../store/database.ts';
import { columnList, insertRow, statement, textOf } from '../../../../store/kept-text.ts';
import { type Arriving, readLater } from '../../../../store/send-later.ts';
import { macFor } from '../macs.ts';
import type { InterfaceRow, NewInterface } from '../table.ts';

/**
 * An interface that is made for an IPv4 address has the MAC of the address, unless another interface has it: when an
 * address moves, the MAC stays.
 */
function insertion(row: NewInterface, ipv4: string | undefined): CompiledQuery<InterfaceRow> {
  if (ipv4 === undefined) return insertRow('vm_interfaces', row, 'returning *');
  const columns = Object.keys(row);
  const text = textOf(['insert interface with a preferred MAC', ...columns].join(' '), () => {
    const preferred = `$${columns.length + 1}::macaddr`;
    const isFree = `not exists (select from vm_interfaces where mac = ${preferred})`;
    const places = columns.map((column, i) =>
      column === 'mac' ? `case when ${isFree} then ${preferred} else $${i + 1}::macaddr end` : `$${i + 1}`,
    );
    return `insert into vm_interfaces (${columnList(columns)}) values (${places.join(', ')}) returning *`;
  });
  return statement(text, [...Object.values(row), macFor(ipv4)]);
}

/** The row arrives with the answer to the next statement. */
export const insertInterfaceLater = (
  db: Db,
  row: NewInterface,
  ipv4?: string,
): Promise<Arriving<InterfaceRow>> => readLater(db, insertion(row, ipv4));

export async function insertInterface(db: Db, row: NewInterface, ipv4?: string): Promise<InterfaceRow> {
  const { rows } = await db.executeQuery(insertion(row, ipv4));
  if (rows[0] === undefined) throw new Error('PostgreSQL returned no row for the new interface.');
  return rows[0];
}
