/** The rows of a list that the document names for a member, as choices. */

export interface Choice {
  readonly value: string;
  readonly text: string;
}

export interface Ref {
  readonly list: string;
  readonly in?: string;
  readonly value: string;
  readonly label: string;
  /** A value may also be a new one, which the list does not have yet. */
  readonly open?: boolean;
  readonly except?: readonly string[];
  readonly filters?: Readonly<
    Record<string, { readonly equals?: unknown; readonly from?: string | readonly string[] }>
  >;
}

type Row = Readonly<Record<string, unknown>>;

interface Sources {
  readonly body: unknown;
  readonly path: Readonly<Record<string, string>>;
  /** The place of the member that is chosen: `*` in a source is the item that contains it. */
  readonly pointer: string;
}

function valueAt(from: string, { body, path, pointer }: Sources): unknown {
  if (from.startsWith('path/')) return path[from.slice('path/'.length)];
  const own = pointer.split('/');
  return from
    .split('/')
    .map((part, i) => (part === '*' ? (own[i] ?? '') : part))
    .slice(1)
    .reduce<unknown>((value, name) => (value as Row | undefined | null)?.[name], body);
}

/** The parameters of the list that narrow it to what this request can use. */
export function filtersOf({ filters = {} }: Ref, sources: Sources): Readonly<Record<string, string>> {
  const given = Object.entries(filters).flatMap(([name, { equals, from }]) => {
    const values = from === undefined ? [equals] : [from].flat().map((place) => valueAt(place, sources));
    const found = values.find((one) => one !== undefined && one !== null && one !== '');
    return found === undefined ? [] : [[name, String(found)] as const];
  });
  return Object.fromEntries(given);
}

export interface ListAddress {
  readonly url: string;
  /** The parameter of the path that nobody has chosen yet. */
  readonly missing: string | undefined;
}

export function addressOf(
  template: string,
  filters: Readonly<Record<string, string>>,
  path: Readonly<Record<string, string>>,
  isList: boolean,
): ListAddress {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const missing = names.find((name) => !(filters[name] ?? path[name]));
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(filters[name] ?? path[name] ?? ''),
  );
  const query = Object.entries(filters).filter(([name]) => !names.includes(name));
  const search = new URLSearchParams(isList ? [['limit', '200'], ...query] : query).toString();
  return { url: search === '' ? filled : `${filled}?${search}`, missing };
}

const ID = /^[a-z]+_[0-9a-z]{26}$/;

const said = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.values(value).map(String).join(' ')
    : String(value ?? '');

/** A second fact beside the label: what people type or know it by, or else where and in which state it is. */
function factOf(row: Row, value: string, label: string): string {
  if (!ID.test(value)) return value === label ? '' : value;
  return [row['address'], row['ipv4'], row['location'], row['status']]
    .filter((fact) => typeof fact === 'string' && fact !== label)
    .join(', ');
}

export function choicesOf(rows: readonly Row[], { value, label, except = [] }: Ref): readonly Choice[] {
  const found = rows.flatMap((row) => {
    const [own, name] = [String(row[value]), said(row[label])];
    if (except.includes(own)) return [];
    const fact = factOf(row, own, name);
    const text = name === '' ? own : fact === '' ? name : `${name} (${fact})`;
    return [{ value: own, text }];
  });
  const unique = [...new Map(found.map((each) => [each.value, each])).values()];
  const times = new Map<string, number>();
  for (const { text } of unique) times.set(text, (times.get(text) ?? 0) + 1);
  return unique.map((each) =>
    times.get(each.text) === 1 ? each : { ...each, text: `${each.text} ${each.value}` },
  );
}
