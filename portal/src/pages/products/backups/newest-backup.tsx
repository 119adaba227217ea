import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { addressOf } from '../../../data/nouns.ts';
import { formatBytes } from '../../../data/sizes.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Ago } from '../../../ui/time.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { newestOf } from './newest.ts';
import { useBackupsOf, usePolicy } from './vm-backups.ts';

/** For the overview of a machine: whether it can be brought back, and when it is backed up next. */
export function NewestBackup({ found }: { found: Found }) {
  const { row, noun, families } = found;
  const id = String(row['id']);
  const { backups, error } = useBackupsOf(families, id);
  const policy = usePolicy(families, row['backup_policy_id'] as string | null);
  const toTab = (children: ReactNode) => (
    <Link to={addressOf(noun, families, id)} search={{ tab: 'backups' }} className="link">
      {children}
    </Link>
  );
  if (backups === undefined || policy === undefined)
    return <span className="text-muted">{error === null ? 'Loading…' : 'It could not be read.'}</span>;
  const { ready, coming, failed } = newestOf(backups);
  return (
    <>
      {ready === undefined ? (
        <span className="text-muted">None</span>
      ) : (
        toTab(
          <>
            <Ago time={ready.created_at} />
            {ready.size_bytes !== null && `, ${formatBytes(ready.size_bytes)}`}
          </>,
        )
      )}
      {coming && <span className="text-muted"> · another one is being made</span>}
      {failed && <span className="text-bad"> · the one after it failed</span>}
      <span className="block text-sm text-muted wrap-anywhere">
        {row['backup_policy_id'] === null ? (
          <>No backup policy: {toTab('add one')}</>
        ) : policy === null ? (
          'By a backup policy'
        ) : policy.next_run_at === null ? (
          `The policy ${unturned(policy.name)} is switched off`
        ) : (
          <>
            By {unturned(policy.name)}, next <Ago time={policy.next_run_at} />
          </>
        )}
      </span>
    </>
  );
}
