/** What the address of a file says about it. */

const PACKED = /\.(gz|xz|zst|zip|bz2)$/;
const FILES = /\.(qcow2|img|raw|vmdk|iso|disk)$/;
const LONGEST = 63;

const fileIn = (address: string): string => {
  if (!URL.canParse(address)) return '';
  const { pathname } = new URL(address);
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).toLowerCase();
  } catch {
    return last.toLowerCase();
  }
};

/** `…/Debian_12.qcow2?signature=x` as `debian-12`; empty if it has no name. */
export const nameFrom = (address: string): string =>
  fileIn(address)
    .replace(PACKED, '')
    .replace(FILES, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^-+|-+$/g, '');

/** Many files have their processor in their name. */
export function architectureFrom(address: string): 'amd64' | 'arm64' | undefined {
  const file = fileIn(address);
  if (/arm64|aarch64/.test(file)) return 'arm64';
  return /amd64|x86[_-]64/.test(file) ? 'amd64' : undefined;
}

/** What people may have typed themselves stays: only what came from the last address follows the next one. */
export function followed(value: unknown, before: string | undefined, now: string | undefined): unknown {
  const isOpen = value === undefined || value === '' || value === before;
  return isOpen && now !== undefined && now !== '' ? now : value;
}
