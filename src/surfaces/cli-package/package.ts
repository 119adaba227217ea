/** The customers' command line as an npm package, made of the files that `scripts/cli.mjs` built. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tarGz } from '../iac/archive.ts';

export interface CliPackage {
  readonly version: string;
  /** What `engines` of the package asks for, such as `20.19`. */
  readonly node: string;
  readonly archive: Buffer;
  readonly sha256: string;
}

const PROGRAM = 'dist/hostplane.cjs';

/** `cli/` is in the root of the installation. The search walks up, because sources and bundle are in different folders. */
function findFolder(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'cli', PROGRAM))) return join(folder, 'cli');
    if (folder === dirname(folder)) return undefined;
  }
}

/** Undefined: the command line is not built. */
export function readCliPackage(
  from: string = dirname(fileURLToPath(import.meta.url)),
): CliPackage | undefined {
  const folder = findFolder(from);
  if (folder === undefined) return undefined;
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const { scripts: _, ...manifest } = JSON.parse(read('package.json')) as {
    readonly version: string;
    readonly engines: { readonly node: string };
    readonly scripts?: object;
  };
  const license = join(folder, '..', 'LICENSE');
  const archive = tarGz({
    ...(existsSync(license) ? { 'package/LICENSE': readFileSync(license, 'utf8') } : {}),
    'package/package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'package/README.md': read('README.md'),
    [`package/${PROGRAM}`]: read(PROGRAM),
  });
  return {
    version: manifest.version,
    node: manifest.engines.node.replace(/^>=/, ''),
    archive,
    sha256: createHash('sha256').update(archive).digest('hex'),
  };
}
