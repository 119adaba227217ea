/** One thing wrong with the configuration: where it stands, what it is, and what to do about it. */
export interface Fault {
  /** JSON Pointer: `/catalogue/plans/2/sku`. */
  readonly path: string;
  /** The file, or the environment variable that the value came from. */
  readonly file: string;
  /** Counted from 1; 0 where there is no line, as in the environment. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fix: string;
}

/** How a check tells of a fault: it knows the path (and the variable, if the value came from one), the reader the line. */
export type Report = (path: string, message: string, fix: string, variable?: string) => void;

const MOST = 200;

/** In the order of reading, each once, and not so many that the first scroll away. */
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

/** `hostplane.yaml:12:7 /server/prot: …` as editors and people read it. */
export function formatFault({ file, line, column, path, message, fix }: Fault): string {
  const place = line > 0 ? `${file}:${line}:${column}` : file;
  return `${place} ${path || '/'}: ${message} ${fix}`;
}

export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

export const pointerSegments = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
