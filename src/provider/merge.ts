/**
 * Which of the two files each section comes from. Whole sections are replaced (of the catalogue, its sub-sections),
 * never parts of them, so that what stands in the provider's own file is all that holds there.
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
  /** What to do about a fault in the default that only the provider's own file can have caused. */
  hint(path: string): string;
}

export function mergeSources(defaults: Source, own: Source | null): Merged {
  const isOwn = (path: string): boolean => own?.has(sectionOf(path)) ?? false;
  const faults = [...defaults.faults, ...(own?.faults ?? [])];
  for (const source of own === null ? [defaults] : [defaults, own]) {
    // An empty file is one that leaves everything out.
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
      return ` This stands in the default file: write ${section} in ${own.file} too.`;
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
