/** Splits texts into comparable words. The same steps run over the document, the tables and the question. */
import { articles, askingWords, providers, silentWords } from './words/sentences.ts';

/** Letters with marks lose them, and the usual ways to write umlauts without them become the same letters. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  // Most texts have no such letters, and then need no work.
  if (!/[^ -~\s]/.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss');
}

/** Endings that say nothing about the meaning, English before German; the rest keeps at least three letters. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(ss|sh|ch|x)es$/, '$1'],
  [/ie[sd]$/, 'y'],
  [/(?<=\w{2})([^su])s$/, '$1'],
  [/(?<=\w{3})(?:ing|ed)$/, ''],
  [/(?<=\w{3})(?:en|em|es|e|n)$/, ''],
];

/** Compares "machines" with "machine", "stopped" with "stop", "Festplatten" with "Festplatte", "fuer" with "für". */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const root = WHOLE[word] ?? (word.length <= 3 || /\d/.test(word) ? word : cut(word));
  if (stems.size >= MOST_STEMS) stems.clear();
  stems.set(word, root);
  return root;
}

/**
 * Of short words only these lose their ending, because most end in an s of their own: DNS, VPS, AWS. "Does" asks whether
 * something is so, and would become the "do" of "how do I".
 */
const WHOLE: Readonly<Record<string, string>> = {
  vms: 'vm',
  ips: 'ip',
  ids: 'id',
  cds: 'cd',
  oss: 'os',
  does: 'does',
};

/** The same words come again and again. */
const stems = new Map<string, string>();
const MOST_STEMS = 20_000;

function cut(word: string): string {
  let root = word;
  for (const [ending, rest] of ENDINGS) if (root.length > 3) root = root.replace(ending, rest);
  return root.replaceAll(/(?<=.)([aou])e/g, '$1').replaceAll(/(?<=.)([b-df-hj-np-tv-z])\1/g, '$1');
}

/** `createVmSnapshot` → create Vm Snapshot. Names as "CloudWatch" are split only where they are unknown. */
export const parted = (text: string): string => text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2');

/** `flexible-vps:vm-power:write` → flexible vps vm power write. */
export const split = (text: string): string[] =>
  folded(text)
    .replaceAll(/['’]s\b/g, '')
    .replaceAll(/\bback(?:s|ed|ing)? up\b/g, 'backup')
    .match(/[a-z0-9]+/g) ?? [];

const silentStems = new Set([...silentWords, ...askingWords, ...providers].map(stem));
const articleStems = new Set(articles.map(stem));

/** All words in their order, each as its stem: phrases are compared in this form. */
export const stemsOf = (text: string): string[] => split(text).map(stem);

export const isArticle = (word: string): boolean => articleStems.has(word);
export const isSilent = (word: string): boolean => silentStems.has(word) || articleStems.has(word);

/** The words that mean something, each as its stem. */
export const wordsOf = (text: string): string[] => stemsOf(text).filter((word) => !isSilent(word));
