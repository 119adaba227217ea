/** Bodies that many waiting callers receive at once, because the same event woke them: serialised once for all of them. */
const texts = new WeakMap<object, { text?: string }>();

/** Marks a body as one that several calls answer with. */
export function share<B extends object>(body: B): B {
  texts.set(body, {});
  return body;
}

/** The text of a shared body, written by the first call that needs it; any other body is written for this call alone. */
export function sharedText(body: unknown, write: () => string): string {
  const kept = body !== null && typeof body === 'object' ? texts.get(body) : undefined;
  if (kept === undefined) return write();
  kept.text ??= write();
  return kept.text;
}
