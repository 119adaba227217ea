/**
 * Puts the provider's own file before the default file and records the origin of each section. A section is replaced as
 * a whole. `provider` and `catalogue` say what is sold: a file that has one of them has to have both, and nothing of the
 * demo provider is added to them.
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
  /** An addition to the fix of a missing section. */
  hint(path: string): string;
}

export function mergeSources(defaults: Source, own: Source | null): Merged {
  const isOwn = (path: string): boolean => {
    const section = `/${pointerSegments(path)[0] ?? ''}`;
    return own !== null && (own.has(section) || (isSold(section) && isOwnProvider(own.value)));
  };
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
      if (own === null || (path !== '/provider' && path !== '/catalogue')) return '';
      return ' Nothing of the demo provider is added to your own file. To begin with a copy of it, run: hostplane admin config print-default';
    },
    place(path) {
      const source = own !== null && isOwn(path) ? own : defaults;
      return { file: source.file, ...source.place(path) };
    },
  };
}

const SOLD = ['provider', 'catalogue'];
const isSold = (section: string): boolean => SOLD.includes(section.slice(1));

/** Whether the file says what is sold. Otherwise it only has settings, with which the demo provider runs. */
export const isOwnProvider = (own: unknown): boolean =>
  isRecord(own) && SOLD.some((section) => Object.hasOwn(own, section));

function mergeValues(defaults: unknown, own: unknown): unknown {
  if (!isRecord(defaults)) return {};
  if (!isRecord(own)) return defaults;
  const settings = Object.entries(defaults).filter(([section]) => !SOLD.includes(section));
  return { ...(isOwnProvider(own) ? Object.fromEntries(settings) : defaults), ...own };
}
