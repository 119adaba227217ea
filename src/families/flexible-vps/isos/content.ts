/** Checks by its content that a file is an optical disc: ISO 9660, or UDF. */
import { open } from 'node:fs/promises';
import { ImportFailed } from '../imports/failure.ts';

const SECTOR = 2048;
/** Both standards begin with a row of descriptors in sector 16, each with its name from its second byte on. */
const FIRST_SECTOR = 16;
const MOST_SECTORS = 64;
const NAMES = ['CD001', 'NSR02', 'NSR03'];

export async function requireIsoContent(file: string): Promise<void> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(MOST_SECTORS * SECTOR),
      0,
      MOST_SECTORS * SECTOR,
      FIRST_SECTOR * SECTOR,
    );
    for (let at = 0; at + SECTOR <= bytesRead; at += SECTOR)
      if (NAMES.includes(buffer.toString('latin1', at + 1, at + 6))) return;
  } finally {
    await handle.close();
  }
  throw new ImportFailed('not_an_iso', 'The file is neither ISO 9660 nor UDF. It must not be packed.');
}
