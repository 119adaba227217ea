/**
 * Finds the operations of an API document by what people say. There is no network and no model: the words come from the
 * document, and from the tables in `words/`, which say what people call the things and acts of the API.
 */
import { AbsentThings, noteOn, quoted } from './absent.ts';
import { type ApiDocument, type Described, operationsIn } from './document.ts';
import { type Entry, entriesOf } from './entries.ts';
import { Goals } from './goals.ts';
import { kindsFor } from './kinds.ts';
import { Phrases } from './phrases.ts';
import { LIKELY_THING, LOOKS, type Question, questionOf } from './question.ts';
import { Spelling } from './spelling.ts';
import { stem } from './text.ts';
import { type NearTopic, Topics } from './topics.ts';
import { ordinary } from './words/ordinary.ts';
import { tables } from './words/tables.ts';

export interface Hit {
  readonly id: string;
  readonly score: number;
  /** Of the things that the operation can do, those that the question speaks of, the best first. */
  readonly kinds: readonly string[];
}

export interface Answer {
  /** The best first; nothing if the question is only about what the API does not have. */
  readonly hits: readonly Hit[];
  /** Says what the question is about and the API does not have; always there if there are no hits. */
  readonly note: string | undefined;
}

const TEXT = 1;
const THING = 8;
const ACT = 4.5;
const GOAL = 8;
/** Of an operation that can do several things, and the question speaks of one of them. */
const KIND = 0.25;
const SUMMARY = 1;
/** Of a word that names a thing and counts as such already. */
const COUNTED = 0.7;
/** What an operation loses that looks although the question wants a change, or the reverse. */
const CONTRARY = 1.8;
/** A question without a verb asks what there is, or names what somebody wants to have. */
const UNASKED: Readonly<Record<string, number>> = { list: 0.5, create: 0.4, declare: 0.4, read: 0.35 };
/** "snapshots" asks for the list, "show the snapshot" for one of them, and a bare "snapshot" for how to have one. */
const NUMBER = 0.8;
const BARE: ReadonlySet<string> = new Set(['create', 'declare']);
const BARE_VALUE = 3;
/** "All servers" speaks of more than a call for one server can do. */
const BULK = 0.5;

function numberScore({ role, isBulk }: Entry, { acts, isPlural, isBare }: Question, thing: number): number {
  if (isBulk) return acts.has('list') ? BULK : 0;
  if (isBare) return BARE.has(role) ? BARE_VALUE * thing : 0;
  return role === (isPlural ? 'list' : 'read') ? NUMBER : 0;
}
const EXACT = 1_000;
/** An operation that has a word of the question stays, however little it fits otherwise. */
const LEAST = 0.01;
const SATURATION = 1.2;
const LENGTH = 0.3;
/** In characters. What comes after them would cost time and find nothing more. */
const LONGEST_QUERY = 400;

export class OperationSearch {
  readonly #operations: readonly Described[];
  readonly #entries: readonly Entry[];
  readonly #absent: AbsentThings;
  readonly #phrases: Phrases;
  readonly #spelling: Spelling;
  readonly #rarity = new Map<string, number>();
  readonly #actRarity = new Map<string, number>();
  readonly #things: ReadonlySet<string>;
  readonly #averageLength: number;
  readonly #goals = new Goals();
  /** Made when it is needed first, because it seldom is. */
  #topics: Topics | undefined;

  constructor(document: ApiDocument) {
    this.#operations = operationsIn(document);
    this.#absent = new AbsentThings(this.#operations);
    this.#phrases = new Phrases([...tables, this.#absent.table]);
    this.#entries = entriesOf(this.#operations, this.#phrases);
    const counts = new Map<string, number>();
    for (const { text } of this.#entries)
      for (const word of text.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
    const total = this.#entries.length;
    for (const [word, count] of counts)
      this.#rarity.set(word, Math.log(1 + (total - count + 0.5) / (count + 0.5)));
    this.#averageLength = this.#entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, total);
    for (const act of new Set(this.#entries.flatMap(({ acts }) => [...acts.keys()]))) {
      const count = this.#entries.filter(({ acts }) => (acts.get(act) ?? 0) >= 0.8).length;
      this.#actRarity.set(act, Math.min(2.5, Math.log(total / Math.max(1, count)) / Math.log(6)));
    }
    this.#things = new Set(this.#entries.flatMap(({ main }) => [...main]));
    this.#spelling = new Spelling(
      [...counts.keys(), ...ordinary.map(stem)],
      [...this.#phrases.forms, ...this.#goals.forms, ...this.#things],
    );
  }

  find(query: string): readonly Hit[] {
    return this.ask(query).hits;
  }

  ask(whole: string): Answer {
    const query = whole.slice(0, LONGEST_QUERY).trim();
    const question = this.#read(query);
    const goals = this.#goals.find(question.all);
    const named = new Set(this.#named(query));
    const { absent, unknown, thing } = question;
    // Verbs alone fit many operations, so an unknown word is what the question is about.
    const isUnknown = absent.length === 0 && thing === 0 && goals.size === 0 && unknown.length > 0;
    const missing = named.size > 0 ? [] : isUnknown ? [quoted(unknown)] : this.#absent.namesOf(absent);
    const isOnlyMissing = missing.length > 0 && thing <= LIKELY_THING;
    const hits = isOnlyMissing ? [] : this.#ranked(question, goals, named);
    return { hits, note: noteOn(missing, hits.length > 0) };
  }

  /** For a question that finds nothing, or asks for what the API does not have. */
  nearestTopics(whole: string, count: number, family?: string): NearTopic[] {
    const query = whole.slice(0, LONGEST_QUERY);
    this.#topics ??= new Topics(this.#operations, tables);
    const near = this.#topics.named(this.#absent.nearTo(this.#read(query).absent), family);
    return near.length > 0 ? near.slice(0, count) : this.#topics.nearest(query, count, family);
  }

  #read(query: string): Question {
    return questionOf(query, this.#phrases, this.#spelling, (word) => this.#rarity.has(word));
  }

  #ranked(question: Question, goals: ReadonlyMap<string, number>, named: ReadonlySet<string>): Hit[] {
    return this.#entries
      .map((entry) => {
        const kinds = kindsFor(entry.kinds, question, this.#phrases);
        const score =
          this.#score(entry, question) +
          (kinds.length > 0 ? KIND : 0) +
          GOAL * (goals.get(entry.id) ?? 0) +
          (named.has(entry.id) ? EXACT : 0);
        return { id: entry.id, score, kinds };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
  }

  #score(entry: Entry, question: Question): number {
    const { words, acts } = question;
    const text = this.#textScore(entry, words);
    const thing = this.#thingScore(entry, words);
    const act = this.#actScore(entry, acts);
    if (text === 0 && thing === 0) return acts.size === 0 ? 0 : act;
    return Math.max(
      LEAST,
      TEXT * text +
        THING * thing +
        SUMMARY * this.#summaryScore(entry, words) +
        act +
        numberScore(entry, question, thing),
    );
  }

  /** BM25 over the texts of the operation, each with its weight. */
  #textScore({ text, length }: Entry, words: ReadonlyMap<string, number>): number {
    let score = 0;
    const norm = SATURATION * (1 - LENGTH + (LENGTH * length) / this.#averageLength);
    for (const [word, weight] of words) {
      const held = text.get(word);
      if (held !== undefined)
        score +=
          (this.#things.has(word) ? COUNTED : 1) *
          weight *
          (this.#rarity.get(word) ?? 0) *
          ((held * (SATURATION + 1)) / (held + norm));
    }
    return score;
  }

  /** How many of the things in the question the operation is about, and how many of its own the question names. */
  #thingScore({ things, main }: Entry, words: ReadonlyMap<string, number>): number {
    let asked = 0;
    let covered = 0;
    for (const [word, weight] of words) {
      if (!this.#things.has(word)) continue;
      const value = weight * (this.#rarity.get(word) ?? 0);
      asked += value;
      covered += value * (things.get(word) ?? 0);
    }
    if (covered === 0) return 0;
    let own = 0;
    let named = 0;
    for (const word of main) {
      const value = this.#rarity.get(word) ?? 0;
      own += value;
      named += value * Math.min(1, words.get(word) ?? 0);
    }
    return 0.6 * (covered / asked) + 0.4 * (own === 0 ? 0 : named / own);
  }

  /** How much of the summary was said: whoever repeats it means this operation. */
  #summaryScore({ summary }: Entry, words: ReadonlyMap<string, number>): number {
    let all = 0;
    let said = 0;
    for (const word of summary) {
      const value = this.#rarity.get(word) ?? 0;
      all += value;
      said += value * Math.min(1, words.get(word) ?? 0);
    }
    return all === 0 ? 0 : said * (said / all);
  }

  /** Operations whose id, path, permission or problem code is the whole question. */
  #named(query: string): string[] {
    const wanted = query.toLowerCase().replace(/^(?:get|post|put|patch|delete) (?=\/)/, '');
    return this.#operations
      .filter(
        ({ id, path, permission, codes }) =>
          id.toLowerCase() === wanted || path === wanted || permission === wanted || codes.includes(wanted),
      )
      .map(({ id }) => id);
  }

  /** Operations that do what the question asks for. */
  #actScore({ acts, role, isLook }: Entry, asked: ReadonlyMap<string, number>): number {
    if (asked.size === 0) return ACT * (UNASKED[role] ?? 0);
    let score = 0;
    let change = 0;
    let look = 0;
    for (const [act, weight] of asked) {
      score = Math.max(score, weight * (acts.get(act) ?? 0) * (this.#actRarity.get(act) ?? 1));
      if (LOOKS.has(act)) look = Math.max(look, weight);
      else change = Math.max(change, weight);
    }
    return ACT * score - CONTRARY * Math.max(0, isLook ? change - look / 2 : look - change);
  }
}
