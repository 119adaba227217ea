/** Patterns of texts in requests. People cannot read patterns, so refusals say in words what a pattern asks for. */

const meanings = new Map<string, string>();

/** The pattern of a text, and what it asks for as a sentence. */
export function written(pattern: string, meaning: string): { readonly pattern: string } {
  meanings.set(pattern, meaning);
  return { pattern };
}

/** Says in words what a pattern asks for; undefined if nobody wrote words for it, which no request has. */
export function meaningOf(pattern: string): string | undefined {
  const prefix = /^\^([a-z]+_)\[0-7\]/.exec(pattern)?.[1];
  return prefix === undefined ? meanings.get(pattern) : `Must be an id that starts with ${prefix}.`;
}

export const hostName = written(
  '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$',
  'Must be a host name such as web-1 or web.example.com: lower-case letters, digits and hyphens between dots.',
);
