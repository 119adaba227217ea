/** Texts in a call that stand for members of earlier answers of the same batch: `$0.id`, `$1.data.0.id`. */
import type { CallArguments } from './calls.ts';

const EARLIER = /^\$(\d+)\.([\w.]+)$/;

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function replaced(value: unknown, replace: (text: string) => unknown): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, replace)]));
}

/** The numbers of the calls whose answers this call needs. */
export function neededBy({ path, query, body }: CallArguments): number[] {
  const needed = new Set<number>();
  replaced([path, query, body], (text) => {
    const [, number] = EARLIER.exec(text) ?? [];
    if (number !== undefined) needed.add(Number(number));
    return text;
  });
  return [...needed];
}

const memberAt = (value: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (inner, name) =>
      inner !== null && typeof inner === 'object' && Object.hasOwn(inner, name)
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    value,
  );

/** The call with the values in place of the texts, or the texts for which an answer has no value. */
export function filled(
  call: CallArguments,
  answers: readonly unknown[],
): { readonly call: CallArguments; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const fill = <T>(part: T): T =>
    replaced(part, (text) => {
      const [, number, names = ''] = EARLIER.exec(text) ?? [];
      if (number === undefined) return text;
      const found = memberAt(answers[Number(number)], names.split('.'));
      if (found === undefined || found === null) missing.push(text);
      return found ?? text;
    }) as T;
  const { path, query, body } = call;
  return {
    call: {
      ...call,
      ...(path === undefined ? {} : { path: fill(path) }),
      ...(query === undefined ? {} : { query: fill(query) }),
      ...(body === undefined ? {} : { body: fill(body) }),
    },
    missing,
  };
}
