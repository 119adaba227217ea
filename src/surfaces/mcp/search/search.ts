/**
 * Finds operations by what people say. The index is built once from the records: no network and no model. Ranking is
 * BM25 over weighted fields, plus a bonus for operations that do what the question asks for (create, delete, …).
 */
import type { Endpoint, ResourceRole } from '../../../kernel/record.ts';
import type { Registry } from '../../../kernel/registry.ts';
import { synonyms } from './synonyms.ts';
import { phraseOf, wordsOf } from './words.ts';

export interface Hit {
  readonly endpoint: Endpoint;
  readonly score: number;
}

/** What someone means by a word of the API counts less than a word that was said. */
const IMPLIED = 0.8;
const REPLACED = 0.3;
const SUBJECT = 3;
const ROLE = 2;
const SATURATION = 1.2;
const LENGTH = 0.4;
/** In characters. What comes after them would cost time and find nothing more. */
const LONGEST_QUERY = 1_000;

interface Entry {
  readonly endpoint: Endpoint;
  readonly weights: ReadonlyMap<string, number>;
  readonly length: number;
  /** The words of its resource, which a question names if it is about it. */
  readonly subject: readonly string[];
}

const membersOf = (schema: unknown): string[] => {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { description?: string }> };
  return Object.entries(properties).flatMap(([name, { description = '' }]) => [name, description]);
};

const roleWords: Readonly<Record<ResourceRole, string>> = {
  list: 'list all',
  read: 'get one',
  create: 'create new',
  update: 'update change',
  declare: 'set create update change',
  delete: 'delete remove',
  action: 'action',
};

function entryOf(endpoint: Endpoint, { families }: Registry): Entry {
  const { id, path, summary, description = '', permission, resource, query, body, problems } = endpoint;
  const family = families.find(({ name }) => name === endpoint.family);
  const topic = family?.topics?.[resource.name];
  const fields: readonly (readonly [number, string])[] = [
    [4, id],
    [4, summary],
    [2, path.replaceAll(/\{\w+\}|\/v1\//g, ' ')],
    [1.5, permission],
    [2, resource.name],
    [2, roleWords[resource.role]],
    [1, topic?.title ?? ''],
    [0.6, topic?.purpose ?? ''],
    [0.8, description],
    [0.4, [...membersOf(query), ...membersOf(body)].join(' ')],
    [1, problems.join(' ')],
  ];
  const weights = new Map<string, number>();
  for (const [weight, text] of fields)
    for (const word of new Set(wordsOf(text))) weights.set(word, (weights.get(word) ?? 0) + weight);
  const subject = wordsOf(resource.name.replaceAll('_', ' ')).filter((word) => word !== 'vps');
  return {
    endpoint,
    weights,
    subject,
    length: [...weights.values()].reduce((sum, weight) => sum + weight, 0),
  };
}

/** The words of the question with their weights: those that were said, and those that they mean. */
function questionOf(query: string): Map<string, number> {
  const asked = new Map<string, number>();
  const add = (word: string, weight: number): void =>
    void asked.set(word, Math.max(asked.get(word) ?? 0, weight));
  let text = phraseOf(query);
  const replaced = new Set<string>();
  for (const { said, means } of synonyms) {
    if (!text.includes(said)) continue;
    for (const word of wordsOf(means)) add(word, IMPLIED);
    for (const word of wordsOf(said)) replaced.add(word);
    // A phrase is taken as a whole: its words mean nothing else.
    if (said.trim().includes(' ')) text = text.replaceAll(said, ' | ');
  }
  for (const word of wordsOf(query)) add(word, replaced.has(word) ? REPLACED : 1);
  return asked;
}

/** Words that ask for a role of the resource. */
const roleOf: Readonly<Record<string, readonly ResourceRole[]>> = {
  creat: ['create', 'declare'],
  set: ['declare'],
  delet: ['delete'],
  revok: ['delete'],
  list: ['list'],
  get: ['read'],
  updat: ['update', 'declare'],
};

/** A question without a verb asks what there is. */
const UNASKED: readonly ResourceRole[] = ['list', 'read'];

export class Search {
  readonly #entries: readonly Entry[];
  readonly #rarity = new Map<string, number>();
  readonly #average: number;

  constructor(registry: Registry) {
    this.#entries = registry.endpoints.map((endpoint) => entryOf(endpoint, registry));
    const counts = new Map<string, number>();
    for (const { weights } of this.#entries)
      for (const word of weights.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
    const total = this.#entries.length;
    for (const [word, count] of counts)
      this.#rarity.set(word, Math.log(1 + (total - count + 0.5) / (count + 0.5)));
    this.#average = this.#entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, total);
  }

  /** The best first. Operations that have nothing to do with the question are left out. */
  find(whole: string): Hit[] {
    const query = whole.slice(0, LONGEST_QUERY);
    const exact = this.#named(query.trim());
    const asked = questionOf(query);
    const subjects = new Set(
      this.#entries
        .filter(({ subject }) => subject.length > 0 && subject.every((word) => asked.has(word)))
        .map(({ endpoint }) => endpoint.resource.name),
    );
    const roles = new Set(Object.entries(roleOf).flatMap(([word, each]) => (asked.has(word) ? each : [])));
    return this.#entries
      .map((entry) => ({
        endpoint: entry.endpoint,
        score: this.#score(entry, asked, subjects, roles) + (exact.includes(entry.endpoint) ? 1000 : 0),
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
  }

  /** Operations whose id, path, permission or problem code is the whole question. */
  #named(query: string): Endpoint[] {
    const wanted = query.toLowerCase().replace(/^(?:get|post|put|patch|delete) (?=\/)/, '');
    return this.#entries
      .map(({ endpoint }) => endpoint)
      .filter(
        ({ id, path, permission, problems }) =>
          id.toLowerCase() === wanted ||
          path === wanted ||
          permission === wanted ||
          problems.some((code) => code === wanted),
      );
  }

  #score(
    { endpoint, weights, length }: Entry,
    asked: ReadonlyMap<string, number>,
    subjects: ReadonlySet<string>,
    roles: ReadonlySet<ResourceRole>,
  ): number {
    let score = 0;
    const norm = SATURATION * (1 - LENGTH + (LENGTH * length) / this.#average);
    for (const [word, weight] of asked) {
      const held = weights.get(word) ?? 0;
      if (held > 0)
        score += weight * (this.#rarity.get(word) ?? 0) * ((held * (SATURATION + 1)) / (held + norm));
    }
    if (score === 0) return 0;
    const { name, role } = endpoint.resource;
    // Who names a part of a machine and the machine asks for the part.
    if (subjects.has(name)) score += name === 'vm' && subjects.size > 1 ? SUBJECT / 4 : SUBJECT;
    if (roles.has(role)) score += ROLE;
    else if (roles.size === 0 && UNASKED.includes(role)) score += ROLE / 2;
    return score;
  }
}
