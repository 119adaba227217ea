/** A map as rows of names and values. */

export interface Pair {
  readonly name: string;
  /** Null: an update takes it away. */
  readonly value: string | null;
}

type Obj = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Obj =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is no text is written as JSON writes it: 4, true. */
const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `isDeep`: members of members have names such as `source.image_id`. */
export function pairsOf(value: unknown, isDeep: boolean): readonly Pair[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    isDeep && isObject(each)
      ? pairsOf(each, true).map((inner) => ({ ...inner, name: `${name}.${inner.name}` }))
      : [{ name, value: each === null ? null : written(each) }],
  );
}

function scalar(text: string): unknown {
  return /^(true|false|-?(0|[1-9]\d*)(\.\d+)?)$/.test(text.trim()) ? JSON.parse(text) : text;
}

function put(target: Obj, [first = '', ...rest]: readonly string[], value: unknown): Obj {
  if (rest.length === 0) return { ...target, [first]: value };
  const inner = target[first];
  return { ...target, [first]: put(isObject(inner) ? inner : {}, rest, value) };
}

export function valueOfPairs(pairs: readonly Pair[], isDeep: boolean): Obj {
  if (!isDeep) return Object.fromEntries(pairs.map(({ name, value }) => [name.trim(), value]));
  return pairs.reduce<Obj>(
    (all, { name, value }) => put(all, name.trim().split('.'), value === null ? null : scalar(value)),
    {},
  );
}
