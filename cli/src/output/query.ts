/**
 * `--query`: a path into the answer, in a part of the language JMESPath: `name`, `price.monthly`, `[0]`, `[].id`,
 * `[?status=='running'].name`. docs/cli.md explains it, and decision 57 why it is no more.
 */
import { misuse } from '../failure.ts';

type Step =
  | { readonly member: string }
  | { readonly index: number }
  | { readonly each: true }
  | { readonly where: readonly Step[]; readonly isNot: boolean; readonly value: unknown };

const MEMBER = /^\.?([A-Za-z_][\w-]*|"[^"]*")/;
const INDEX = /^\[(-?\d+)\]/;
const EACH = /^\[\*?\]/;
const WHERE = /^\[\?\s*([^=!\]]+?)\s*([=!]=)\s*('[^']*'|`[^`]*`)\s*\]/;

export function parseQuery(text: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [step, length] = firstStep(rest, steps.length === 0) ?? [];
    if (step === undefined || length === undefined)
      throw misuse(
        `--query is not understood from "${rest}" on. Examples: name, price.monthly, [0], [].id, [?status=='running'].name`,
      );
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps;
}

function firstStep(text: string, isFirst: boolean): [Step, number] | undefined {
  const where = WHERE.exec(text);
  if (where !== null) {
    const [all, path = '', sign, literal = ''] = where;
    return [{ where: parseQuery(path), isNot: sign === '!=', value: literalValue(literal) }, all.length];
  }
  const index = INDEX.exec(text);
  if (index !== null) return [{ index: Number(index[1]) }, index[0].length];
  const each = EACH.exec(text);
  if (each !== null) return [{ each: true }, each[0].length];
  const member = MEMBER.exec(text);
  if (member === null || text.startsWith('.') === isFirst) return undefined;
  return [{ member: (member[1] ?? '').replaceAll('"', '') }, member[0].length];
}

/** 'text', or `JSON`. */
function literalValue(literal: string): unknown {
  const inner = literal.slice(1, -1);
  if (literal.startsWith("'")) return inner;
  try {
    return JSON.parse(inner);
  } catch {
    return inner;
  }
}

export function applyQuery(value: unknown, [step, ...rest]: readonly Step[]): unknown {
  if (step === undefined) return value;
  if ('member' in step) {
    const isMap = value !== null && typeof value === 'object' && !Array.isArray(value);
    return isMap ? applyQuery((value as Record<string, unknown>)[step.member] ?? null, rest) : null;
  }
  if (!Array.isArray(value)) return null;
  if ('index' in step) return applyQuery(value.at(step.index) ?? null, rest);
  const items = 'where' in step ? value.filter((item) => matches(item, step)) : value;
  return items.map((item) => applyQuery(item, rest)).filter((item) => item !== null);
}

function matches(item: unknown, { where, isNot, value }: Extract<Step, { where: unknown }>): boolean {
  return (JSON.stringify(applyQuery(item, where)) === JSON.stringify(value)) !== isNot;
}
