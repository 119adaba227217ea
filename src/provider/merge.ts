/**
 * Merges the provider's own file over the default file and records the origin of each section. A section is replaced
 * as a whole (in the catalogue, a sub-section), so that an operator sees all of its content in one file.
 */
import { isRecord } from './draft.ts';
import { type Fault, pointerSegments } from './fault.ts';
import type { Place, Source } from './source.ts';

export interface Merged {
  readonly value: unknown;
  readonly faults: readonly Fault[];
  /** Whether the section around this path comes from the provider's own file. */
  isOwn(path: string): boolean;
  place(path: string): Place & { readonly file: string };
  /** An addition to the fix of a fault in the default file, which only a section of the own file can have caused. */
  hint(path: string): string;
}

export function mergeSources(defaults: Source, own: Source | null): Merged {
  const isOwn = (path: string): boolean => own?.has(sectionOf(path)) ?? false;
  const faults = [...defaults.faults, ...(own?.faults ?? [])];
  for (const source of own === null ? [defaults] : [defaults, own]) {
    // An empty own file is valid: it leaves out every section.
    if (isRecord(source.value) || (source === own && source.value === null)) continue;
    const fix = 'Begin with a section such as provider: or catalogue:.';
    faults.push({
      path: '',
      file: source.file,
      ...source.place(''),
      message: 'The file has no sections.',
      fix,
    });
  }
  return {
    value: mergeValues(defaults.value, own?.value),
    faults,
    isOwn,
    hint(path) {
      if (own === null || isOwn(path)) return '';
      const section = sectionOf(path).slice(1).replace('/', '.');
      return ` This value is in the default file: write ${section} in ${own.file} too.`;
    },
    place(path) {
      const source = own !== null && isOwn(path) ? own : defaults;
      return { file: source.file, ...source.place(path) };
    },
  };
}

function sectionOf(path: string): string {
  const [top, sub] = pointerSegments(path);
  return top === 'catalogue' && sub !== undefined ? `/catalogue/${sub}` : `/${top ?? ''}`;
}

function mergeValues(defaults: unknown, own: unknown): unknown {
  if (!isRecord(defaults)) return {};
  if (!isRecord(own)) return defaults;
  const { catalogue } = own;
  const merged = { ...defaults, ...own };
  if (isRecord(catalogue) && isRecord(defaults.catalogue)) {
    return { ...merged, catalogue: { ...defaults.catalogue, ...catalogue } };
  }
  return merged;
}
