/** A text as it is typed in a shell. */
export const shellWord = (text: string): string =>
  /^[\w.:@/=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
