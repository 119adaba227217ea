/** Writes schemas in a short notation, which costs a model a fraction of the tokens of JSON Schema. */

export interface Plain {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly items?: Plain;
  readonly anyOf?: readonly Plain[];
  readonly oneOf?: readonly Plain[];
  readonly additionalProperties?: boolean | Plain;
}

const MOST_VALUES = 10;

/** `^vm_[0-7]…$` → `vm_…`. */
const idOf = (pattern: string | undefined): string | undefined =>
  /^\^([a-z]+_)\[0-7\]/.exec(pattern ?? '')?.[1];

function scalarOf({ type, enum: values, const: only, format, pattern }: Plain): string {
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) {
    const shown = values.slice(0, MOST_VALUES).map((value) => (value === null ? 'null' : String(value)));
    return shown.join('|') + (values.length > MOST_VALUES ? '|…' : '');
  }
  const names = [type ?? 'any'].flat().map((each) => {
    if (each !== 'string') return each === 'integer' ? 'int' : each === 'boolean' ? 'bool' : each;
    const id = idOf(pattern);
    return id === undefined ? (format ?? 'string') : `${id}…`;
  });
  return names.join('|');
}

/** The type in one line. Objects below `depth` are written as `{…}`. */
export function typeOf(schema: Plain, depth = 1): string {
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined)
    return [...new Set(branches.map((branch) => typeOf(branch, depth)))].join(' | ');
  if (schema.items !== undefined) {
    const item = typeOf(schema.items, depth);
    return /[ |]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties !== undefined) return depth <= 0 ? '{…}' : membersOf(schema, depth - 1);
  if (typeof schema.additionalProperties === 'object')
    return `{name: ${typeOf(schema.additionalProperties, depth - 1)}}`;
  return scalarOf(schema);
}

function membersOf({ properties = {}, required = [] }: Plain, depth: number): string {
  const members = Object.entries(properties).map(
    ([name, member]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(member, depth)}`,
  );
  return `{${members.join(', ')}}`;
}

/** Required members with their types; optional ones by name, as far as there is room. */
export function signatureOf(schema: Plain, most = 8): string {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  if (names.length === 0) return '';
  const musts = names.filter((name) => required.includes(name));
  const others = names.filter((name) => !required.includes(name));
  const room = Math.max(2, most - musts.length);
  const shown = [
    ...musts.map((name) => `${name}: ${typeOf(properties[name] as Plain, 0)}`),
    ...others.slice(0, room).map((name) => `${name}?`),
    ...(others.length > room ? [`+${others.length - room}`] : []),
  ];
  return `{${shown.join(', ')}}`;
}

const LONGEST = 130;

/** The first sentence of a description, without the marks of Markdown. */
const firstSentence = (text: string): string => {
  const [first = ''] = text.replaceAll('`', '').split(/(?<=\.)\s/);
  return first.length > LONGEST ? `${first.slice(0, LONGEST - 1)}…` : first;
};

function rangeOf({ minimum, maximum, minLength, maxLength }: Plain): string {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}-${maximum}`;
  if (maxLength !== undefined) return ` ${minLength ?? 0}-${maxLength} chars`;
  return '';
}

/** One line for each member, with members of objects below their object. */
export function linesOf(schema: Plain, indent = ''): string[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, member]) => {
    const mark = required.includes(name) ? '' : '?';
    const variants = member.oneOf?.filter(({ properties: own }) => own !== undefined) ?? [];
    const inner = member.properties === undefined ? member.items : member;
    const isNested = inner?.properties !== undefined;
    const type =
      variants.length > 0 || isNested ? (member.items === undefined ? 'object' : 'object[]') : typeOf(member);
    const preset = member.default === undefined ? '' : ` = ${JSON.stringify(member.default)}`;
    const about = member.description === undefined ? '' : ` // ${firstSentence(member.description)}`;
    return [
      `${indent}${name}${mark}: ${type}${rangeOf(member)}${preset}${about}`,
      ...(isNested ? linesOf(inner, `${indent}  `) : []),
      ...variants.map((variant) => `${indent}  either ${typeOf(variant, 1)}`),
    ];
  });
}
