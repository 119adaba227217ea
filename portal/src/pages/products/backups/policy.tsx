import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useWhyNot } from '../../../data/access.ts';
import { addressOf, nounNamed } from '../../../data/nouns.ts';
import type { Act } from '../../../resource/acts.ts';
import { ActDialog } from '../../../resource/lazy-act.tsx';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { Ago } from '../../../ui/time.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { usePolicy } from './vm-backups.ts';
import { retentionWords, scheduleWords } from './words.ts';

/** Which policy backs the machine up, when it does so next, and what it keeps. */
export function Policy({ found }: { found: Found }) {
  const { row, noun, path, families } = found;
  const whyNot = useWhyNot();
  const [isOpen, setOpen] = useState(false);
  const id = row['backup_policy_id'] as string | null;
  const policy = usePolicy(families, id);
  const policies = nounNamed(families, 'backup_policy');
  const act: Act | undefined = noun.update && {
    label: id === null ? 'Add a backup policy to' : 'Change the backup policy of',
    call: noun.update,
    fixed: {},
    members: ['backup_policy_id'],
    isDanger: false,
    why: whyNot(noun.update.id),
  };
  return (
    <div className="grid content-start justify-items-start gap-1">
      <h2 className="text-xs text-faint">Backup policy</h2>
      {id === null ? (
        <>
          <p className="text-lg font-semibold text-warn">None</p>
          <p className="text-sm text-muted">Nothing backs this machine up by itself.</p>
        </>
      ) : policy === undefined ? (
        <p className="text-muted">Loading…</p>
      ) : policy === null ? (
        <p className="text-muted">It has one, which you may not see.</p>
      ) : (
        <>
          <p className="text-lg font-semibold wrap-anywhere">
            {policies ? (
              <Link to={addressOf(policies, families, policy.id)} className="hover:underline">
                {unturned(policy.name)}
              </Link>
            ) : (
              unturned(policy.name)
            )}
          </p>
          <p className="text-sm text-muted">{scheduleWords(policy.schedule)}</p>
          <p className="text-sm text-muted">{retentionWords(policy.retention)}</p>
          {policy.next_run_at === null ? (
            <p className="text-sm font-medium text-warn">It is switched off: it makes no backups.</p>
          ) : (
            <p className="text-sm">
              Next run <Ago time={policy.next_run_at} />
            </p>
          )}
        </>
      )}
      {act && (
        <Button small className="mt-2" why={act.why} onClick={() => setOpen(true)}>
          {id === null ? 'Add a backup policy' : 'Change the policy'}
        </Button>
      )}
      {isOpen && act && (
        <ActDialog
          act={act}
          noun={noun}
          row={row}
          path={path}
          name={String(row['name'])}
          close={() => setOpen(false)}
        />
      )}
    </div>
  );
}
