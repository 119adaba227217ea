/**
 * The files of a whole system in an archive, with `metadata.yaml` beside them. The engine unpacks it where it can do no
 * harm; what would lead out of the archive is refused all the same.
 */
import { open } from 'node:fs/promises';
import { readTar, TarDamaged, type TarEntry } from '../../../kernel/tar.ts';
import { ImportFailed } from './failure.ts';

/** A large system has some hundred thousand. */
const MOST_ENTRIES = 2_000_000;

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
  if (type === 'hardlink') return leadsOut(target) || isBehind(links, plain(target));
  return type === 'symlink' && !plain(name).startsWith('rootfs/');
}

/** How many bytes all its files have together. */
export async function systemSize(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const links = new Set<string>();
    let [bytes, entries, hasMetadata, hasSystem] = [0, 0, false, false];
    for await (const entry of readTar(handle)) {
      if (++entries > MOST_ENTRIES) throw unsupported('It holds too many files.');
      const name = plain(entry.name);
      if (isTrick(entry, links))
        throw unsupported(`It holds ${name.slice(0, 200)}, which leads out of the archive.`);
      const isLink =
        entry.type === 'symlink' || (entry.type === 'hardlink' && links.has(plain(entry.target)));
      if (isLink) links.add(name);
      bytes += entry.size;
      hasMetadata ||= name === 'metadata.yaml' && entry.type === 'file';
      hasSystem ||= name.startsWith('rootfs/');
    }
    if (!hasMetadata || !hasSystem)
      throw unsupported('It is an archive, and holds no metadata.yaml beside a system in rootfs/.');
    return bytes;
  } catch (error) {
    throw error instanceof TarDamaged ? unsupported(`It is a damaged archive. ${error.message}`) : error;
  } finally {
    await handle.close();
  }
}
