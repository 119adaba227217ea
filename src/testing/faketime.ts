/** Starts a PostgreSQL whose clock can be moved while it runs: libfaketime reads the offset from a file. */
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

export const NO_FAKETIME = 'no libfaketime on this machine: install the package faketime';

const LIBRARIES = '/usr/lib';

export function findFaketime(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined;
  return readdirSync(LIBRARIES)
    .map((name) => join(LIBRARIES, name, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}

export interface MovablePostgres extends TestPostgres {
  /** Sets the server's clock to the real time plus this many seconds; negative numbers set it back. */
  moveClock(seconds: number): Promise<void>;
}

export async function startMovablePostgres(library: string): Promise<MovablePostgres> {
  const folder = await makeTemporaryFolder();
  const clock = join(folder, 'clock');
  const moveClock = async (seconds: number): Promise<void> => {
    // The rename is atomic, so that the server never reads a half-written file.
    await writeFile(`${clock}.new`, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
    await chmod(`${clock}.new`, 0o644);
    await rename(`${clock}.new`, clock);
  };
  await moveClock(0);
  const postgres = await startPostgres({
    disguise: (programs) => disguise(folder, programs, library, clock),
  });
  return {
    ...postgres,
    moveClock,
    async stop() {
      await postgres.stop();
      await removeTemporaryFolder(folder);
    },
  };
}

async function disguise(folder: string, programs: string, library: string, clock: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await chmod(bin, 0o755);
  for (const name of readdirSync(programs).filter((name) => name !== 'postgres'))
    await symlink(join(programs, name), join(bin, name));
  const settings = [
    `LD_PRELOAD='${library}'`,
    `FAKETIME_TIMESTAMP_FILE='${clock}'`,
    'FAKETIME_NO_CACHE=1',
    // The monotonic clock measures durations, which must not jump when the wall clock is moved.
    'FAKETIME_DONT_FAKE_MONOTONIC=1',
  ];
  const script = `#!/bin/sh\nexec env ${settings.join(' ')} '${join(programs, 'postgres')}' "$@"\n`;
  await writeFile(join(bin, 'postgres'), script, { mode: 0o755 });
  return bin;
}
