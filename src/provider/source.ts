/**
 * Reads YAML and records the line of every value. Anchors and aliases are refused: they let a small file expand into
 * a huge one, and a fault inside a repeated value would have two lines. Unquoted decimals stay text, so that money is
 * never a binary float.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { escapePointer, type Fault } from './fault.ts';

const LARGEST_FILE = 1_048_576;
const DEEPEST = 32;
const FLOAT = 'tag:yaml.org,2002:float';

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Source {
  readonly file: string;
  /** `false` if the file cannot be parsed; `faults` then contains the reasons. */
  readonly readable: boolean;
  readonly value: unknown;
  readonly faults: readonly Fault[];
  has(pointer: string): boolean;
  /** The position of the key of this value, or of its nearest ancestor that is written in the file. */
  place(pointer: string): Place;
}

export function readSource(file: string, text: string): Source {
  if (Buffer.byteLength(text) > LARGEST_FILE) return tooLarge(file);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    stringKeys: true,
    uniqueKeys: false,
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== FLOAT),
  });
  const walk = new Walk(file, lines);
  const value = walk.read(document.contents as Node | null, '', 0);
  const broken = [...document.errors, ...document.warnings].map((error) =>
    walk.faultAt(error.pos[0], walk.nearest(error.pos[0]), sentence(error), 'Correct the YAML here.'),
  );
  return {
    file,
    readable: broken.length === 0,
    value,
    // A syntax error causes false duplicates and misplaced values, so only the syntax errors are reported.
    faults: broken.length > 0 ? broken : walk.faults,
    has: (pointer) => walk.starts.has(pointer),
    place: (pointer) => walk.place(pointer),
  };
}

function sentence(error: { readonly code: string; readonly message: string }): string {
  if (error.code === 'RESOURCE_EXHAUSTION') return 'This is nested too deeply.';
  if (error.code === 'MULTIPLE_DOCS') return 'A second document begins here.';
  return error.message.endsWith('.') ? error.message : `${error.message}.`;
}

export function readSourceFile(file: string): Source {
  let bytes: Buffer;
  try {
    if (statSync(file).size > LARGEST_FILE) return tooLarge(file);
    bytes = readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    return unreadable(
      file,
      `The file cannot be read (${reason}).`,
      'Check the path and the permissions of the file.',
    );
  }
  return isUtf8(bytes)
    ? readSource(file, bytes.toString('utf8'))
    : unreadable(file, 'The file is not UTF-8 text.', 'Save it as UTF-8.');
}

function tooLarge(file: string): Source {
  const fix = 'A catalogue is far smaller; check that this is the right file.';
  return unreadable(file, 'The file is larger than 1 MiB.', fix);
}

function unreadable(file: string, message: string, fix: string): Source {
  const place = { line: 1, column: 1 };
  const faults = [{ path: '', file, ...place, message, fix }];
  return { file, readable: false, value: null, faults, has: () => false, place: () => place };
}

class Walk {
  readonly faults: Fault[] = [];
  readonly starts = new Map<string, number>();
  private readonly file: string;
  private readonly lines: LineCounter;

  constructor(file: string, lines: LineCounter) {
    this.file = file;
    this.lines = lines;
  }

  read(node: Node | null, pointer: string, depth: number): unknown {
    const start = node?.range?.[0];
    if (start !== undefined && !this.starts.has(pointer)) this.starts.set(pointer, start);
    if (depth > DEEPEST)
      return this.refuse(pointer, start, 'This is nested too deeply.', 'Use fewer levels.');
    if (isAlias(node)) {
      return this.refuse(pointer, start, 'Anchors and aliases are not read.', 'Write the value out.');
    }
    if (isScalar(node)) return typeof node.value === 'bigint' ? Number(node.value) : node.value;
    if (isSeq(node)) {
      return node.items.map((item, index) => this.read(item as Node, `${pointer}/${index}`, depth + 1));
    }
    if (isMap(node)) return this.readMap(node.items as Pair<Node, Node | null>[], pointer, depth);
    return null;
  }

  private readMap(pairs: readonly Pair<Node, Node | null>[], pointer: string, depth: number): object {
    const members = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : '';
      const child = `${pointer}/${escapePointer(name)}`;
      if (members.has(name)) {
        const first = this.place(child).line;
        this.refuse(
          child,
          key.range?.[0],
          `${name} is defined twice; the first is on line ${first}.`,
          'Keep one.',
        );
        continue;
      }
      if (key.range) this.starts.set(child, key.range[0]);
      members.set(name, this.read(value, child, depth + 1));
    }
    return Object.fromEntries(members);
  }

  private refuse(pointer: string, offset: number | undefined, message: string, fix: string): null {
    this.faults.push(this.faultAt(offset ?? this.starts.get(pointer) ?? 0, pointer, message, fix));
    return null;
  }

  faultAt(offset: number, path: string, message: string, fix: string): Fault {
    return { path, file: this.file, ...this.placeOf(offset), message, fix };
  }

  /** The pointer of the last value that starts before `offset`: a syntax error is reported with this path. */
  nearest(offset: number): string {
    let best = '';
    for (const [pointer, start] of this.starts) if (start <= offset) best = pointer;
    return best;
  }

  place(pointer: string): Place {
    for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const start = this.starts.get(at);
      if (start !== undefined) return this.placeOf(start);
    }
    return this.placeOf(this.starts.get('') ?? 0);
  }

  private placeOf(offset: number): Place {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}
