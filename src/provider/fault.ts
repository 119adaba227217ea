/** One error in the configuration: its position, the problem, and how to fix it. */
export interface Fault {
  /** JSON Pointer: `/catalogue/plans/2/sku`. */
  readonly path: string;
  /** The file, or the environment variable that the value came from. */
  readonly file: string;
  /** Counted from 1; 0 for a value from an environment variable, which has no line. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fix: string;
}

/**
 * Reports a fault. A check passes the path, or also the variable that set the value; the loader adds the line.
 */
export type Report = (path: string, message: string, fix: string, variable?: string) => void;

const MOST = 200;

/** Sorts faults by file and line, removes duplicates, and cuts the list. */
export function orderFaults(faults: readonly Fault[]): Fault[] {
  const distinct = new Map(faults.map((fault) => [`${fault.file}\n${fault.path}\n${fault.message}`, fault]));
  const ordered = [...distinct.values()].sort(
    (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
  const last = ordered[MOST - 1];
  if (last === undefined || ordered.length === MOST) return ordered;
  const more = `${ordered.length - MOST + 1} more faults are not shown.`;
  return [...ordered.slice(0, MOST - 1), { ...last, message: more, fix: 'Correct those above first.' }];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Formats a fault as `hostplane.yaml:12:7 /server/prot: …`, which editors turn into a link. */
export function formatFault({ file, line, column, path, message, fix }: Fault): string {
  const place = line > 0 ? `${file}:${line}:${column}` : file;
  return `${place} ${path || '/'}: ${message} ${fix}`;
}

const SHOWN = 10;

/** The first faults under the name of their section, and how many more there are in which sections. */
export function reportFaults(faults: readonly Fault[]): string {
  const shown = bySection(faults.slice(0, SHOWN));
  const lines = [...shown].flatMap(([section, some]) => [
    section,
    ...some.map((fault) => `  ${formatFault(fault)}`),
  ]);
  const more = moreFaults(faults);
  return [...lines, ...(more === null ? [] : [more])].join('\n');
}

/** The first faults, each as one line, and how many more there are: for logs. */
export function listFaults(faults: readonly Fault[]): string[] {
  const more = moreFaults(faults);
  return [...faults.slice(0, SHOWN).map(formatFault), ...(more === null ? [] : [more])];
}

export const firstFaults = (faults: readonly Fault[]): readonly Fault[] => faults.slice(0, SHOWN);

/** `null` if all faults are shown. */
export function moreFaults(faults: readonly Fault[]): string | null {
  const rest = faults.slice(SHOWN);
  if (rest.length === 0) return null;
  const where = [...bySection(rest)].map(([section, some]) => `${some.length} in ${section}`).join(', ');
  return `${rest.length} more ${rest.length === 1 ? 'fault is' : 'faults are'} not shown (${where}). Correct those above first.`;
}

function bySection(faults: readonly Fault[]): Map<string, Fault[]> {
  const sections = new Map<string, Fault[]>();
  for (const fault of faults) {
    const section = sectionName(fault.path);
    sections.set(section, [...(sections.get(section) ?? []), fault]);
  }
  return sections;
}

/** `server`, or `catalogue.plans`. */
function sectionName(path: string): string {
  const [top, sub] = pointerSegments(path);
  return top === 'catalogue' && sub !== undefined ? `catalogue.${sub}` : (top ?? 'the whole file');
}

export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

export const pointerSegments = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
