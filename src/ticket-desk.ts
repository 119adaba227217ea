/** Joins the work of the staff on tickets with the stores of files, for the command line. */
import { enginePorts, openStores } from './engine-ports.ts';
import type { Port } from './engines/port.ts';
import { readFile } from './families/support/attachments/storage.ts';
import { findFile, staffDesk } from './families/support/staff/desk.ts';
import { openSeal } from './kernel/secrets/key.ts';
import type { TicketDesk } from './surfaces/cli/ticket-desk.ts';

export const ticketDesk = (ports: readonly Port[] = enginePorts): TicketDesk => ({
  ...staffDesk,
  async readFile({ db, config }, id) {
    const { filename, content_type } = await findFile(db, id);
    const stores = openStores(config, ports);
    try {
      const secrets = await openSeal(db, config.secrets);
      const bytes = await readFile({ db, secrets, objects: stores }, id);
      return { filename, content_type, bytes: bytes ?? Buffer.alloc(0) };
    } finally {
      await stores.close();
    }
  },
});
