/**
 * Where tests keep their temporary files: in memory, if there is room. Each test file has a database of its own, which
 * is a thousand files; a disk takes ten times the CPU time to create and remove them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

export const MEMORY = '/dev/shm';
const GIB = 1024 ** 3;
/** Several times what a run of all tests has used at once. */
const ROOM = 8 * GIB;

/** Sets the folder for temporary files of this process and of those that it starts, unless the caller has chosen one. */
export function keepTemporaryFilesInMemory(): void {
  if (process.env['TMPDIR'] === undefined && hasRoom() && runsPrograms()) process.env['TMPDIR'] = MEMORY;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM && freemem() >= ROOM;
  } catch {
    return false;
  }
}

/** Some systems allow no programs there, and tests start programs that they have written. */
function runsPrograms(): boolean {
  const folder = mkdtempSync(join(MEMORY, 'hostplane-trial-'));
  try {
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
