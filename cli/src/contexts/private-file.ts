/**
 * Writes a file that only its owner can read, as a whole or not at all: the text goes to a second file, which then takes
 * the place of the first. A program that is killed leaves at most such a second file, which the next write removes.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const DRAFT_AGE_MS = 60_000;

export function writePrivately(path: string, content: string | Buffer): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeDrafts(path);
  replaceFile(path, content, 0o600);
}

/** Puts a file in the place of another as a whole. */
export function replaceFile(path: string, content: string | Buffer, mode: number): void {
  const draft = `${path}.${crypto.randomUUID()}.draft`;
  const file = openSync(draft, 'wx', mode);
  try {
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    attempt(() => unlinkSync(draft));
    throw error;
  }
  syncFolder(dirname(path));
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Without this, the new name could be lost in a power failure. Some systems cannot do it for folders. */
function syncFolder(folder: string): void {
  const handle = attempt(() => openSync(folder, 'r'));
  if (handle === undefined) return;
  attempt(() => fsyncSync(handle));
  closeSync(handle);
}

/** Removes what killed programs left behind; a young file may belong to a program that is still writing. */
function removeDrafts(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith('.draft')) continue;
    const draft = join(folder, name);
    const written = attempt(() => statSync(draft).mtimeMs);
    if (written !== undefined && Date.now() - written > DRAFT_AGE_MS) attempt(() => unlinkSync(draft));
  }
}
