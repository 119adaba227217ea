/**
 * Checks container images: archives with the files of a whole system in `rootfs/`, and a `metadata.yaml`. The engine
 * unpacks them isolated; entries that lead out of the archive are refused nevertheless.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { readTar, TarDamaged, type TarEntry } from '../../../kernel/tar.ts';
import { ImportFailed } from '../imports/failure.ts';
import { checkMetadata } from './metadata.ts';

/** A large system has some hundred thousand entries. */
const MOST_ENTRIES = 2_000_000;
const METADATA = 'metadata.yaml';
const LONGEST_METADATA = 1024 * 1024;

const unsupported = (detail: string) => new ImportFailed('unsupported_format', detail);

/** Removes empty and `.` parts, so that each path has only one spelling. */
const plain = (name: string): string =>
  name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
const leadsOut = (name: string): boolean => name.startsWith('/') || name.split('/').includes('..');

/** Whether a parent of the entry is a link: the entry would be written to the target of that link. */
function isBehind(links: ReadonlySet<string>, name: string): boolean {
  for (let cut = name.indexOf('/'); cut !== -1; cut = name.indexOf('/', cut + 1))
    if (links.has(name.slice(0, cut))) return true;
  return false;
}

function isTrick({ name, type, target }: TarEntry, links: ReadonlySet<string>): boolean {
  if (leadsOut(name) || isBehind(links, plain(name))) return true;
  if (type !== 'hardlink' && type !== 'symlink') return false;
  if (!plain(name).startsWith('rootfs/')) return true;
  return type === 'hardlink' && (leadsOut(target) || isBehind(links, plain(target)));
}

/** Checks all entries, but not the content of the metadata. Returns the total file size and the metadata entry. */
async function lookThrough(handle: FileHandle): Promise<{ bytes: number; metadata: TarEntry }> {
  const links = new Set<string>();
  const metadata: TarEntry[] = [];
  let [bytes, entries, hasSystem] = [0, 0, false];
  for await (const entry of readTar(handle)) {
    if (++entries > MOST_ENTRIES) throw unsupported('The archive contains too many files.');
    const name = plain(entry.name);
    if (isTrick(entry, links))
      throw unsupported(`The archive contains ${name.slice(0, 200)}, which leads out of the archive.`);
    const isLink = entry.type === 'symlink' || (entry.type === 'hardlink' && links.has(plain(entry.target)));
    if (isLink) links.add(name);
    if (name === METADATA && entry.type === 'file') metadata.push(entry);
    bytes += entry.size;
    hasSystem ||= name.startsWith('rootfs/');
  }
  const [first] = metadata;
  if (first === undefined || metadata.length > 1 || !hasSystem)
    throw unsupported(`The archive does not contain exactly one ${METADATA} and a system in rootfs/.`);
  return { bytes, metadata: first };
}

/** Checks the archive and returns the total size of its files in bytes. */
export async function systemSize(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const { bytes, metadata } = await lookThrough(handle);
    const { size, position } = metadata;
    if (size > LONGEST_METADATA) throw unsupported(`Its ${METADATA} is too long.`);
    const { buffer } = await handle.read(Buffer.alloc(size), 0, size, position);
    checkMetadata(buffer.toString('utf8'));
    return bytes;
  } catch (error) {
    throw error instanceof TarDamaged ? unsupported(`The archive is damaged. ${error.message}`) : error;
  } finally {
    await handle.close();
  }
}
