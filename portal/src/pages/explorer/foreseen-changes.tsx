import type { Foreseen } from '../../data/types.ts';
import { ChangeList } from '../../ui/change-list.tsx';
import { type Outcome, parsed } from './call.ts';

/** What the dry run foresees; nothing if it was refused, or if this was no dry run. */
export function foreseenIn(outcome: Outcome | null): Partial<Foreseen> {
  if (outcome?.isDryRun !== true || outcome.status >= 300) return {};
  return (parsed(outcome.text) ?? {}) as Partial<Foreseen>;
}

/** Something is lost for good, or can be reached from more places. Assistants and the command line are asked as well. */
export const needsConfirmation = ({ effects = [], changes = [] }: Partial<Foreseen>): boolean =>
  effects.some(({ loss }) => loss?.recoverable === false) || changes.some(({ loosens }) => loosens);

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
