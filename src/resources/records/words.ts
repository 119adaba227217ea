/** Words of the summaries of derived records. */
export function plural(words: string): string {
  if (words.endsWith('s')) return `${words}es`;
  return words.endsWith('y') && !/[aeiou]y$/.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`;
}

/** `SSH`, `ISO`, `IP` and `API` are spoken with a vowel first. */
export const withArticle = (words: string): string =>
  `${/^([aeio]|SSH|[AEI][A-Z])/.test(words) ? 'an' : 'a'} ${words}`;
