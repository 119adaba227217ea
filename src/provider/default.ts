/**
 * Finds the demo provider's file in the root of the package. The bundle in `dist/` and the sources in `src/` are at
 * different depths, so the search walks up the parent folders.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const DEFAULT_FILE = 'hostplane.default.yaml';

export function readDefaultText(from: string = dirname(fileURLToPath(import.meta.url))): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const text = readIfThere(join(folder, DEFAULT_FILE));
    if (text !== null) return text;
    if (folder === dirname(folder)) {
      throw new Error(
        `${DEFAULT_FILE} is missing: it belongs beside package.json. Install the package again.`,
      );
    }
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
