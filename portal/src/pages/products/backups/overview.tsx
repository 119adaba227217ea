import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Backup } from '../../../data/storage-types.ts';
import type { Operation } from '../../../data/types.ts';
import { formatTime } from '../../../data/words.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Reference } from '../../../resource/value.tsx';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Ago } from '../../../ui/time.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { Work } from '../work.tsx';
import { useBackupActs } from './acts.ts';
import { newMachineFrom, pageOfBackup } from './links.ts';
import Restore from './restore.tsx';
import { Taken } from './taken.tsx';
import { usePolicy } from './vm-backups.ts';
import { kinds, retentionWords } from './words.ts';

/** What one needs it for: to go back to it. */
export default function Overview({ found: { row, families } }: { found: Found }) {
  const backup = row as unknown as Backup;
  const acts = useBackupActs(families);
  const navigate = useNavigate();
  const policy = usePolicy(families, backup.policy_id);
  const [isRestoring, setRestoring] = useState(false);
  return (
    <>
      {backup.status === 'creating' && backup.operation && (
        <Work title="The backup is being made." operation={backup.operation as Operation} />
      )}
      {backup.status === 'failed' && (
        <div className="mb-6">
          <Notice tone="bad">
            <p className="font-medium">It was not made, so nothing can be restored from it.</p>
            <p>{backup.failure?.detail}</p>
            <p className="mt-1">
              Look at the machine, then back it up again. What failed is deleted by itself after 24 hours.
            </p>
          </Notice>
        </div>
      )}
      <section
        aria-label="In short"
        className="card mb-6 grid gap-4 p-4 md:p-5 lg:grid-cols-[minmax(0,1fr)_auto]"
      >
        <div className="grid min-w-0 content-start gap-1">
          <p className="text-lg font-semibold">
            Taken <Ago time={backup.created_at} />
          </p>
          <Taken backup={backup} />
          <p className="wrap-anywhere">
            Of{' '}
            {backup.vm_deleted ? (
              `${unturned(backup.vm_name)}, which is deleted`
            ) : (
              <Reference id={backup.vm_id} />
            )}
            <span className="text-muted"> · {kinds[backup.kind].toLowerCase()}</span>
          </p>
          <p className="text-sm text-muted">
            {backup.expires_at !== null ? (
              <>
                Deleted by itself <Ago time={backup.expires_at} />, on {formatTime(backup.expires_at)}.
              </>
            ) : policy ? (
              `${retentionWords(policy.retention)}: that is what ${unturned(policy.name)} says.`
            ) : (
              'Kept until somebody deletes it.'
            )}
          </p>
        </div>
        <div className="flex flex-wrap content-start items-start gap-2 max-md:*:flex-1">
          <Button kind="primary" why={acts.restore(backup)} onClick={() => setRestoring(true)}>
            Restore
          </Button>
          <Button
            why={acts.newMachine(backup)}
            onClick={() => void navigate(newMachineFrom(families, backup))}
          >
            New machine from it
          </Button>
          <Button
            why={acts.download(backup)}
            onClick={() => void navigate(pageOfBackup(families, backup, 'download'))}
          >
            Download
          </Button>
        </div>
      </section>
      {isRestoring && <Restore backup={backup} families={families} close={() => setRestoring(false)} />}
    </>
  );
}
