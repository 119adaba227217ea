import type { Download } from '../../../kernel/downloads/download.ts';
import type { Endpoint } from '../../../kernel/record.ts';
import type { Services } from '../../../kernel/services.ts';
import { readFile } from './storage.ts';
import { findAttachment } from './store.ts';

/** The file of a message. `endpoint`: the call whose answers have links to such files. */
export const findFileDownload =
  (endpoint: Endpoint) =>
  async (services: Services, id: string): Promise<Download | null> => {
    const row = id.startsWith('att_') ? await findAttachment(services.db, id) : undefined;
    if (row === undefined) return null;
    return {
      owner: row.account_id,
      endpoint,
      name: row.filename,
      sizeBytes: row.size_bytes,
      sha256: row.sha256,
      async *read(from, to, signal) {
        const bytes = await readFile(services, id, signal);
        if (bytes !== undefined) yield bytes.subarray(from, to);
      },
    };
  };
