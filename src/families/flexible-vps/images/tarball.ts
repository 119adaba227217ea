/**
 * The files of a whole system in an archive, with `metadata.yaml` beside them. The engine unpacks it where it can do no
 * harm; what would lead out of the archive is refused all the same.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { readTar, TarDamaged, type TarEntry } from '../../../kernel/tar.ts';
import { ImportFailed } from './failure.ts';
import { checkMetadata } from './metadata.ts';

/** A large system has some hundred thousand. */
const MOST_ENTRIES = 2_000_000;
const METADATA = 'metadata.yaml';
const LONGEST_METADATA = 1024 * 1024;

const unsupported = (detail: string) => new ImportFailed('unsupported_format', detail);

/** The same place is always written alike. */
const plain = (name: string): string =>
  name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
const leadsOut = (name: string): boolean => name.startsWith('/') || name.split('/').includes('..');

/** What is put behind a link lies wherever that leads to. */
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

/** All but what it says of itself: how many bytes its files have together, and where it says it. */
async function lookThrough(handle: FileHandle): Promise<{ bytes: number; metadata: TarEntry }> {
  const links = new Set<string>();
  const metadata: TarEntry[] = [];
  let [bytes, entries, hasSystem] = [0, 0, false];
  for await (const entry of readTar(handle)) {
    if (++entries > MOST_ENTRIES) throw unsupported('It holds too many files.');
    const name = plain(entry.name);
    if (isTrick(entry, links))
      throw unsupported(`It holds ${name.slice(0, 200)}, which leads out of the archive.`);
    const isLink = entry.type === 'symlink' || (entry.type === 'hardlink' && links.has(plain(entry.target)));
    if (isLink) links.add(name);
    if (name === METADATA && entry.type === 'file') metadata.push(entry);
    bytes += entry.size;
    hasSystem ||= name.startsWith('rootfs/');
  }
  const [first] = metadata;
  if (first === undefined || metadata.length > 1 || !hasSystem)
    throw unsupported(`It is an archive that does not hold one ${METADATA} and a system in rootfs/.`);
  return { bytes, metadata: first };
}

/** How many bytes all its files have together. */
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
    throw error instanceof TarDamaged ? unsupported(`It is a damaged archive. ${error.message}`) : error;
  } finally {
    await handle.close();
  }
}
