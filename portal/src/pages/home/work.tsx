import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { recentOperationsQuery, runningQuery } from '../../data/account-queries.ts';
import type { Account } from '../../data/types.ts';
import { Section } from '../../ui/states.tsx';
import { OperationRows } from '../operations/operation-rows.tsx';
import { hasEnded } from '../operations/words.ts';

const MOST = 6;

/** What runs, then what ended last. */
export function Work({ account }: { account: Account }) {
  const running = useQuery(runningQuery(account)).data ?? [];
  const recent = useQuery(recentOperationsQuery(account)).data?.data ?? [];
  const ended = recent.filter((each) => hasEnded(each) && each.type !== 'approval.request');
  const known = new Set(ended.map(({ id }) => id));
  // The two lists are read one after the other, and what ended in between is in both.
  const shown = [...running.filter(({ id }) => !known.has(id)), ...ended].slice(
    0,
    Math.max(MOST, Math.min(running.length, 20)),
  );
  if (shown.length === 0) return null;
  return (
    <Section
      title="Work"
      act={
        <Link to="/operations" className="link text-sm">
          All operations
        </Link>
      }
    >
      <OperationRows label="Work" operations={shown} />
    </Section>
  );
}
