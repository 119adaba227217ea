import { useEffect, useState } from 'react';
import type { AuditEntry } from '../../data/account-types.ts';
import { findFault } from '../../data/audit-chain.ts';
import { readPages } from '../../data/pages.ts';
import type { Account } from '../../data/types.ts';
import { count, formatTime } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { Progress } from '../../ui/progress.tsx';

const MOST = 20_000;
/** What the first entry of an account names as the hash before it. */
const BEGINNING = '0'.repeat(64);

interface Outcome {
  readonly entries: readonly AuditEntry[];
  readonly isWhole: boolean;
  readonly fault: Awaited<ReturnType<typeof findFault<AuditEntry>>>;
}

async function verify(
  account: Account,
  path: string,
  signal: AbortSignal,
  tell: (read: number) => void,
): Promise<Outcome> {
  const { rows, isWhole } = await readPages<AuditEntry>(account, path, {
    most: MOST,
    signal,
    seen: (all) => tell(all.length),
  });
  return { entries: rows, isWhole, fault: await findFault(rows) };
}

/** Reads the log and computes every hash in this browser. */
export function VerifyChain({ account, path, close }: { account: Account; path: string; close: () => void }) {
  const [read, setRead] = useState(0);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isPossible = globalThis.crypto?.subtle !== undefined;
  useEffect(() => {
    if (!isPossible) return;
    const end = new AbortController();
    verify(account, path, end.signal, setRead)
      .then(setOutcome)
      .catch((caught: unknown) => {
        if (!end.signal.aborted) setError(caught);
      });
    return () => end.abort();
  }, [account, path, isPossible]);
  return (
    <Dialog
      title="Verify the chain"
      intro="Each entry has a hash of itself and of the entry before it. Your browser computes all of them anew."
      close={close}
      foot={
        <Button kind="primary" onClick={close}>
          Close
        </Button>
      }
    >
      <ProblemNotice error={error} />
      {!isPossible && (
        <Notice tone="warn">Browsers compute hashes only on pages with https, or at localhost.</Notice>
      )}
      {isPossible && outcome === null && error === null && (
        <div className="grid gap-2" role="status">
          <Progress label="Verifying" percent={null} />
          <p className="text-muted">{count(read, 'entry', 'entries')} read</p>
        </div>
      )}
      {outcome !== null && <Told outcome={outcome} />}
    </Dialog>
  );
}

function Told({ outcome: { entries, isWhole, fault } }: { outcome: Outcome }) {
  const [newest, oldest] = [entries[0], entries.at(-1)];
  if (newest === undefined || oldest === undefined) return <p>There is no entry yet.</p>;
  if (fault !== null)
    return (
      <Notice tone="bad">
        <p className="font-medium">The chain is broken</p>
        <p>
          {fault.why === 'hash'
            ? `The entry ${fault.entry.id} of ${formatTime(fault.entry.occurred_at)} does not have the hash that it claims: it was changed.`
            : `After the entry ${fault.entry.id} of ${formatTime(fault.entry.occurred_at)}, an entry is missing or was replaced.`}
        </p>
        <p className="mt-1">Tell your provider, and keep this page.</p>
      </Notice>
    );
  return (
    <>
      <Notice tone="good">
        <p className="font-medium">{count(entries.length, 'entry', 'entries')} verified</p>
        <p>
          From {formatTime(oldest.occurred_at)} to {formatTime(newest.occurred_at)}: every hash is right, and
          each entry leads to the one before it.{' '}
          {isWhole
            ? oldest.prev_hash === BEGINNING
              ? 'It is the whole log, from the first entry of the account.'
              : 'What came before is no longer kept: entries stay 400 days.'
            : `Entries before that were not read: more than ${MOST.toLocaleString('en-GB')} are a job for a program.`}
        </p>
      </Notice>
      <div>
        <p className="mb-2 text-muted">
          This shows that none of these entries was changed, and that none between them was taken out.
          Somebody with the whole database could write a new log, or cut off its newest end. So keep the
          newest hash elsewhere: as long as an entry still has it, all before it are the same.
        </p>
        <div className="flex min-w-0 flex-wrap items-center gap-2 rounded-md border border-line bg-canvas p-3">
          <code className="min-w-0 flex-1 text-sm break-all">{newest.hash}</code>
          <Copy text={`${newest.hash} ${newest.id} ${newest.occurred_at}`} />
        </div>
      </div>
    </>
  );
}
