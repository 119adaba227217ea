import { useState } from 'react';
import type { AuditEntry } from '../../data/account-types.ts';
import { CSV, csvOf } from '../../data/csv.ts';
import { readPages } from '../../data/pages.ts';
import type { Account } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

/** More would be a job for a program, which reads the same list. */
const MOST = 10_000;

const columns: readonly (readonly [string, (entry: AuditEntry) => string | number | null | undefined])[] = [
  ['occurred_at', (entry) => entry.occurred_at],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_kind', ({ actor }) => actor.kind],
  ['api_key_id', ({ actor }) => actor.api_key_id],
  ['member_id', ({ actor }) => actor.member_id],
  ['source', (entry) => entry.source],
  ['client_ip', (entry) => entry.client_ip],
  ['action', (entry) => entry.action],
  ['resource_type', ({ resource }) => resource?.type],
  ['resource_id', ({ resource }) => resource?.id],
  ['resource_name', ({ resource }) => resource?.name],
  ['outcome', (entry) => entry.outcome],
  ['http_status', (entry) => entry.http_status],
  ['problem_code', (entry) => entry.problem_code],
  ['operation_id', (entry) => entry.operation_id],
  ['request_id', (entry) => entry.request_id],
  ['changes', ({ changes }) => (changes.length === 0 ? '' : JSON.stringify(changes))],
  ['id', (entry) => entry.id],
  ['hash', (entry) => entry.hash],
];

/** What the filters show, all pages of it. */
export function ExportCsv({
  account,
  path,
  filters,
}: {
  account: Account;
  path: string;
  filters: Readonly<Record<string, string | undefined>>;
}) {
  const [read, setRead] = useState(0);
  const { busy, error, run } = useAct(async () => {
    setRead(0);
    const { rows, isWhole } = await readPages<AuditEntry>(account, path, {
      filters,
      most: MOST,
      seen: (all) => setRead(all.length),
    });
    saveFile(
      `audit-log-${new Date().toISOString().slice(0, 10)}.csv`,
      csvOf([
        columns.map(([name]) => name),
        ...rows.map((entry) => columns.map(([, value]) => value(entry))),
      ]),
      CSV,
    );
    toast(
      isWhole
        ? `${rows.length} entries are in the file.`
        : `The newest ${rows.length} entries are in the file. Choose a time to get older ones.`,
    );
  });
  return (
    <Button busy={busy} onClick={() => void run()}>
      {!busy && <Icon name="download" />}
      {busy ? `${read} read` : error === null ? 'CSV' : 'CSV failed, try again'}
    </Button>
  );
}
