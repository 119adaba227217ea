/** Reads the database URL again from its file, which a tool that rotates passwords may have changed meanwhile. */
import { readFileSync } from 'node:fs';
import pg from 'pg';

/** The last usable URL of each file. */
const known = new Map<string, string>();

/** Also creates the client once, because `pg` reads the certificate files that a URL names when it parses the URL. */
function isUsable(url: string): boolean {
  try {
    new pg.Client(url);
    return /^postgres(ql)?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

/**
 * Returns the URL that the file contains now. While the file is missing or broken, for instance in the middle of a
 * rotation, returns the last URL that could be used; `first` is the one that was read at the start.
 */
export function readUrlFile(file: string | undefined, first: string): string {
  if (file === undefined) return first;
  const last = known.get(file) ?? first;
  let url: string;
  try {
    url = readFileSync(file, 'utf8').trim();
  } catch {
    return last;
  }
  if (url === last || !isUsable(url)) return last;
  known.set(file, url);
  return url;
}
