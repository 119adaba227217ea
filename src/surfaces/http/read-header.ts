import type { IncomingMessage } from 'node:http';

/** Reads one header without `request.headers`, because Node parses all headers on the first access to that object. */
export function readHeader({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  let found: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i]!;
    if (each.length !== name.length || each.toLowerCase() !== name) continue;
    const value = rawHeaders[i + 1]!;
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}
