/** Bodies that many waiting callers receive at once, because the same event woke them. Each is serialised only once. */
const texts = new WeakMap<object, { text?: string }>();

/** Marks a body that several calls answer with. */
export function share<B extends object>(body: B): B {
  texts.set(body, {});
  return body;
}

/** The text of a shared body, serialised by the first call that needs it. Other bodies are serialised every time. */
export function sharedText(body: unknown, write: () => string): string {
  const kept = body !== null && typeof body === 'object' ? texts.get(body) : undefined;
  if (kept === undefined) return write();
  kept.text ??= write();
  return kept.text;
}
