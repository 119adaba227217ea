import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { nounNamed } from '../../../data/nouns.ts';
import type { Backup } from '../../../data/storage-types.ts';
import type { Operation } from '../../../data/types.ts';
import { ActDialog } from '../../../resource/lazy-act.tsx';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { Notice, ProblemNotice } from '../../../ui/notice.tsx';
import { Empty, Section, Skeleton } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { Work } from '../work.tsx';
import { useBackupActs } from './acts.ts';
import { newMachineFrom, pageOfBackup } from './links.ts';
import { newestOf } from './newest.ts';
import { Policy } from './policy.tsx';
import Restore from './restore.tsx';
import { BackupRows } from './rows.tsx';
import { Taken } from './taken.tsx';
import { useBackupsOf } from './vm-backups.ts';

/** Whether the machine can be brought back, to when, and how. */
export default function BackupsTab({ found }: { found: Found }) {
  const { row, families, path } = found;
  const name = String(row['name']);
  const { backups, error, hasMore, isMore, more, retry } = useBackupsOf(families, String(row['id']));
  const acts = useBackupActs(families);
  const navigate = useNavigate();
  const [isMaking, setMaking] = useState(false);
  const [restoring, setRestoring] = useState<Backup | null>(null);
  const noun = nounNamed(families, 'backup');
  if (backups === undefined)
    return error === null ? <Skeleton rows={6} /> : <ProblemNotice error={error} retry={retry} />;
  const { ready, coming, failed } = newestOf(backups);
  const make = (
    <Button kind="primary" why={acts.make} onClick={() => setMaking(true)}>
      <Icon name="plus" />
      Back up now
    </Button>
  );
  return (
    <>
      {failed && (
        <div className="mb-6">
          <Notice tone="bad">
            <p className="font-medium">
              The newest backup was not made, <Ago time={failed.created_at} />.
            </p>
            <p>{failed.failure?.detail}</p>
            <p className="mt-1">
              <Link {...pageOfBackup(families, failed)} className="underline">
                See what can be done
              </Link>
            </p>
          </Notice>
        </div>
      )}
      {coming?.operation && (
        <Work title="A backup is being made." operation={coming.operation as Operation} />
      )}
      <section aria-label="In short" className="card mb-8 grid md:grid-cols-2">
        <div className="grid content-start justify-items-start gap-1 p-4 md:p-5">
          <h2 className="text-xs text-faint">Newest backup</h2>
          {ready === undefined ? (
            <>
              <p className="text-lg font-semibold text-warn">None</p>
              <p className="text-sm text-muted">This machine cannot be brought back if its disk is lost.</p>
            </>
          ) : (
            <>
              <p className="text-lg font-semibold">
                <Ago time={ready.created_at} />
              </p>
              <Taken backup={ready} />
              <div className="mt-2 flex flex-wrap gap-2">
                <Button small why={acts.restore(ready)} onClick={() => setRestoring(ready)}>
                  Restore it
                </Button>
                <Button
                  small
                  why={acts.newMachine(ready)}
                  onClick={() => void navigate(newMachineFrom(families, ready))}
                >
                  New machine from it
                </Button>
              </div>
            </>
          )}
        </div>
        <div className="border-line p-4 max-md:border-t md:border-l md:p-5">
          <Policy found={found} />
        </div>
      </section>
      {backups.length === 0 ? (
        <Empty title="No backups yet" act={make}>
          A backup is a copy of the disk, encrypted and apart from the machine: it stays when the machine is
          deleted.
        </Empty>
      ) : (
        <Section title="Backups" act={make}>
          <BackupRows backups={backups} families={families} restore={setRestoring} />
          {hasMore && (
            <div className="mt-4 flex justify-center">
              <Button busy={isMore} onClick={more}>
                Load more
              </Button>
            </div>
          )}
        </Section>
      )}
      {isMaking && noun?.create && (
        <ActDialog
          act={{
            label: 'Back up',
            call: noun.create,
            fixed: { vm_id: path['id'] ?? row['id'] },
            isDanger: false,
            why: undefined,
          }}
          noun={noun}
          path={{}}
          name={unturned(name)}
          close={() => setMaking(false)}
        />
      )}
      {restoring && <Restore backup={restoring} families={families} close={() => setRestoring(null)} />}
    </>
  );
}
