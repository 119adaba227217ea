/** The built portal in memory: each file with its type, its ETag and its compressed forms. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br?: Buffer | undefined;
  readonly gzip?: Buffer | undefined;
  /** The name contains a hash of the content, so the content never changes. */
  readonly isImmutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const etagOf = (content: Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;

/**
 * `dist/portal` is beside the bundle (`dist/hostplane.mjs`). The sources are in another folder, so the search walks up
 * the parent folders. Undefined: the portal is not built.
 */
function findFolder(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = [join(folder, 'portal'), join(folder, 'dist', 'portal')].find((path) =>
      existsSync(join(path, 'made-from')),
    );
    if (found !== undefined) return found;
    if (folder === dirname(folder)) return undefined;
  }
}

const readIfThere = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined);

/** By the path below `/portal/`. */
export function readBuiltFiles(
  from: string = dirname(fileURLToPath(import.meta.url)),
): ReadonlyMap<string, BuiltFile> | undefined {
  const folder = findFolder(from);
  if (folder === undefined) return undefined;
  const files = new Map<string, BuiltFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const plain = readFileSync(path);
    const name = path.slice(folder.length + 1);
    files.set(name, {
      type,
      etag: etagOf(plain),
      plain,
      br: readIfThere(`${path}.br`),
      gzip: readIfThere(`${path}.gz`),
      isImmutable: name.startsWith('assets/'),
    });
  }
  return files;
}

const logoTypes: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** The provider's logo, from the file that the configuration names. It is read each time: a reload may name another. */
export function readLogo(path: string | null): BuiltFile | undefined {
  const type = path === null ? undefined : logoTypes[extname(path).toLowerCase()];
  const plain = path === null ? undefined : readIfThere(path);
  if (type === undefined || plain === undefined) return undefined;
  return { type, etag: etagOf(plain), plain, isImmutable: false };
}

/** A page made while the server runs. It is compressed less than built files, because somebody waits for it. */
export function madeFile(type: string, text: string): BuiltFile {
  const plain = Buffer.from(text);
  return {
    type,
    etag: etagOf(plain),
    plain,
    br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    gzip: gzipSync(plain),
    isImmutable: false,
  };
}
