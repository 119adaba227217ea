/**
 * Texts in a call that stand for members of earlier answers of the same batch: `$0.id`, `$1.data.0.id`, also inside a
 * longer text. A text of several lines is left as it is: scripts have parameters that look the same.
 */
import type { Endpoint } from '../../kernel/record.ts';
import type { CallArguments } from './calls.ts';
import { branchesOf, type TextSchema } from './written-names.ts';

const MEMBERS = String.raw`\$(\d{1,2})\.([A-Za-z_]\w*(?:\.\w+)*)`;
const WHOLE = new RegExp(`^${MEMBERS}$`);
const INSIDE = new RegExp(MEMBERS, 'g');

export interface Earlier {
  /** The number of the call. */
  readonly call: number;
  readonly names: readonly string[];
  /** The place in the call as errors name it: a pointer into the body, `query/name` or `path/name`. */
  readonly at: string;
  /** Whether it is the whole text at this place. */
  readonly isWhole: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function replaced(value: unknown, at: string, replace: (text: string, at: string) => unknown): unknown {
  if (typeof value === 'string') return value.includes('\n') ? value : replace(value, at);
  if (Array.isArray(value)) return value.map((item, i) => replaced(item, `${at}/${i}`, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaced(member, `${at}/${name}`, replace)]),
  );
}

/** The call with each text replaced. */
function mapped(call: CallArguments, replace: (text: string, at: string) => unknown): CallArguments {
  const { path, query, body } = call;
  const map = <T>(part: T, at: string): T => replaced(part, at, replace) as T;
  return {
    ...call,
    ...(path === undefined ? {} : { path: map(path, 'path') }),
    ...(query === undefined ? {} : { query: map(query, 'query') }),
    ...(body === undefined ? {} : { body: map(body, '') }),
  };
}

/** What this call takes from earlier answers. */
export function neededBy(given: CallArguments): Earlier[] {
  const needed: Earlier[] = [];
  mapped(given, (text, at) => {
    for (const [, call, names = ''] of text.matchAll(INSIDE))
      needed.push({ call: Number(call), names: names.split('.'), at, isWhole: WHOLE.test(text) });
    return text;
  });
  return needed;
}

const memberAt = (value: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (inner, name) =>
      inner !== null && typeof inner === 'object' && Object.hasOwn(inner, name)
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    value,
  );

const within = (schema: TextSchema, name: string): readonly TextSchema[] =>
  branchesOf(schema).flatMap(({ properties, items, additionalProperties }) => [
    ...(properties !== undefined && Object.hasOwn(properties, name) ? [properties[name] as TextSchema] : []),
    ...(items !== undefined && /^\d+$/.test(name) ? [items] : []),
    ...(isObject(additionalProperties) ? [additionalProperties as TextSchema] : []),
  ]);

/** The schemas of this member in the answers of the call; none if no answer can have it. */
export const answerAt = ({ answers }: Endpoint, names: readonly string[]): readonly TextSchema[] =>
  Object.values(answers).flatMap((schema) =>
    names.reduce<readonly TextSchema[]>(
      (found, name) => found.flatMap((each) => within(each, name)),
      schema ? [schema as TextSchema] : [],
    ),
  );

/** The call with what `replace` returns for each reference, which is all or a part of a text. */
const withValues = (
  given: CallArguments,
  replace: (reference: string, call: number, names: string) => unknown,
): CallArguments =>
  mapped(given, (text) => {
    const [, call, names = ''] = WHOLE.exec(text) ?? [];
    if (call !== undefined) return replace(text, Number(call), names);
    return text.replaceAll(INSIDE, (part, number: string, inner: string) =>
      String(replace(part, Number(number), inner)),
    );
  });

/** The call with the values in place of the texts, or the texts for which an answer has no value. */
export function filled(
  given: CallArguments,
  answers: readonly unknown[],
): { readonly call: CallArguments; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const call = withValues(given, (text, number, names) => {
    const found = memberAt(answers[number], names.split('.'));
    if (found === undefined || found === null) missing.push(text);
    return found ?? text;
  });
  return { call, missing };
}

/** The call for a batch that begins with call number `first`: with values of what was made, and other numbers. */
export const continued = (given: CallArguments, answers: readonly unknown[], first: number): CallArguments =>
  withValues(given, (text, number, names) =>
    number < first ? (memberAt(answers[number], names.split('.')) ?? text) : `$${number - first}.${names}`,
  );
