/** Splits texts into comparable words: lower case, without endings, without words that say nothing. */

const SILENT = new Set(
  (
    'a an the of for to in on at by with from and or is are be was were been it its this that these those i my me we our you your ' +
    'do does did can could may might would should will have has had there here so as if than then not no any some ' +
    'what which who how when where why please want need let us them they their one ones own about out into ' +
    'use used using only just each per am get gets'
  ).split(' '),
);

/** A small stemmer: enough to compare "machines" with "machine" and "deleted" with "delete". */
export function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  let root = word
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/ies$/, 'y')
    .replace(/([^su])s$/, '$1');
  if (root.length > 5) root = root.replace(/(?:ing|ed)$/, '').replace(/([bdgmnprt])\1$/, '$1');
  return root.length > 4 ? root.replace(/e$/, '') : root;
}

/** `createVmSnapshot` → create vm snapshot; `flexible-vps:vm-power:write` → its parts. */
const apart = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/'s\b/g, '')
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** All words in their order, each as its stem, with a space at both ends: for comparing phrases. */
export const phraseOf = (text: string): string => ` ${apart(text).split(' ').map(stem).join(' ')} `;

export const wordsOf = (text: string): string[] =>
  apart(text)
    .split(' ')
    .filter((word) => word !== '' && !SILENT.has(word))
    .map(stem);
