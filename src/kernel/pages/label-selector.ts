/** Label selectors such as `env=prod,role in (web,api),!legacy`: every term must match. */
import { invalid } from '../problems/problem.ts';

export type Term =
  | { readonly operator: 'equals' | 'differs'; readonly key: string; readonly value: string }
  | { readonly operator: 'in' | 'not_in'; readonly key: string; readonly values: readonly string[] }
  | { readonly operator: 'exists' | 'absent'; readonly key: string };

export type Selector = readonly Term[];

const KEY = '[a-z0-9._/-]{1,63}';
const VALUE = '[^,()=!\\s]{0,63}';
const EQUALITY = new RegExp(`^(${KEY})\\s*(=|==|!=)\\s*(${VALUE})$`);
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s+\\(([^()]*)\\)$`);
const PRESENCE = new RegExp(`^(!?)\\s*(${KEY})$`);
const MAX_TERMS = 20;

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    const letter = text[i];
    if (letter === '(') depth++;
    else if (letter === ')') depth--;
    if (letter === undefined || (letter === ',' && depth === 0)) {
      terms.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  return terms;
}

function parseTerm(text: string): Term | null {
  const equality = EQUALITY.exec(text);
  if (equality) {
    const [, key = '', sign, value = ''] = equality;
    return { operator: sign === '!=' ? 'differs' : 'equals', key, value };
  }
  const set = SET.exec(text);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    const isClean = list.trim() !== '' && values.every((value) => new RegExp(`^${VALUE}$`).test(value));
    return isClean ? { operator: operator === 'in' ? 'in' : 'not_in', key, values } : null;
  }
  const presence = PRESENCE.exec(text);
  if (presence) return { operator: presence[1] === '!' ? 'absent' : 'exists', key: presence[2] ?? '' };
  return null;
}

export function parseLabelSelector(text: string, pointer = 'query/label_selector'): Selector {
  const terms = splitTerms(text).map(parseTerm);
  if (terms.length > MAX_TERMS || terms.includes(null)) {
    throw invalid([
      {
        pointer,
        code: 'invalid_format',
        detail: `Write up to ${MAX_TERMS} terms such as env=prod, env!=prod, role in (web,api), role notin (db), gpu or !legacy, with commas between them.`,
      },
    ]);
  }
  return terms.filter((term) => term !== null);
}

function termHolds(term: Term, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, term.key) ? labels[term.key] : undefined;
  switch (term.operator) {
    case 'equals':
      return value === term.value;
    case 'differs':
      return value !== term.value;
    case 'in':
      return value !== undefined && term.values.includes(value);
    case 'not_in':
      return value === undefined || !term.values.includes(value);
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
  }
}

/** Matches like `labelsMatch` in store.ts, but for labels in memory. */
export function matchesLabels(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  return selector.every((term) => termHolds(term, labels));
}
