import type { Effect, ForeseenChange } from '../../data/types.ts';
import { ChangeList } from '../../ui/change-list.tsx';
import type { Outcome } from './call.ts';

interface Foreseen {
  readonly effects?: readonly Effect[];
  readonly changes?: readonly ForeseenChange[];
}

/** What the dry run foresees; nothing if it was refused, or if this was no dry run. */
export function foreseenIn(outcome: Outcome | null): Foreseen {
  if (outcome?.isDryRun !== true || outcome.status >= 300) return {};
  try {
    return JSON.parse(outcome.text) as Foreseen;
  } catch {
    return {};
  }
}

export function ForeseenChanges({ outcome }: { outcome: Outcome }) {
  const { changes } = foreseenIn(outcome);
  if (changes === undefined) return null;
  if (changes.length === 0) return <p>The call would change nothing.</p>;
  return (
    <section aria-label="What the call would change" className="card grid gap-2 px-4 py-3">
      <h3 className="text-sm text-muted">The call would do this</h3>
      <ChangeList changes={changes} />
    </section>
  );
}
