import { useQuery } from '@tanstack/react-query';
import { filled, nounNamed } from '../../../data/nouns.ts';
import { usePlaces } from '../../../data/places.ts';
import { oneQuery } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import type { Backup, Vm } from '../../../data/storage-types.ts';
import { formatTime } from '../../../data/words.ts';
import { useSearchValues, useSetSearch } from '../../../resource/search-values.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Notice, ProblemNotice } from '../../../ui/notice.tsx';
import { Cell, Row, Table } from '../../../ui/rows.tsx';
import { Empty, Skeleton } from '../../../ui/states.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { type Difference, whyNotOn, withBackup, withMachine } from './differences.ts';
import { useBackupsOf } from './vm-backups.ts';

const NOW = 'now';

/** The backup beside its machine as it is now, or beside another backup of that machine. */
export default function Compare({ found: { row, families } }: { found: Found }) {
  const backup = row as unknown as Backup;
  const account = useAccount();
  const placed = usePlaces();
  const set = useSetSearch();
  const { with: asked } = useSearchValues();
  const { backups, error, retry } = useBackupsOf(families, backup.vm_id);
  const others = (backups ?? []).filter(({ id }) => id !== backup.id);
  const chosen = asked ?? (backup.vm_deleted ? others[0]?.id : NOW);
  const noun = nounNamed(families, 'vm');
  const machine = useQuery({
    ...oneQuery(account, 'vm', filled(noun?.read?.path ?? '', { id: backup.vm_id })),
    enabled: noun?.read !== undefined && chosen === NOW,
  });
  if (backups === undefined)
    return error === null ? <Skeleton rows={6} /> : <ProblemNotice error={error} retry={retry} />;
  if (chosen === undefined)
    return (
      <Empty title="There is nothing to compare it with">
        Its machine is deleted, and there is no other backup of it.
      </Empty>
    );
  const vm = machine.data as Vm | undefined;
  const other = others.find(({ id }) => id === chosen);
  const said = <Each extends { readonly location: string }>(each: Each): Each => ({
    ...each,
    location: placed(each.location),
  });
  const differences =
    chosen === NOW
      ? vm && withMachine(said(backup), said(vm))
      : other && withBackup(said(backup), said(other));
  const right = chosen === NOW ? 'Machine now' : 'The other backup';
  const problem = chosen === NOW && vm ? whyNotOn(backup, vm) : undefined;
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="max-w-[420px]">
        <SelectField
          label="Compare with"
          value={chosen}
          onChange={({ target }) => set({ with: target.value })}
        >
          {!backup.vm_deleted && <option value={NOW}>The machine as it is now</option>}
          {others.map((each) => (
            <option key={each.id} value={each.id}>
              {unturned(each.name)}, {formatTime(each.created_at)}
            </option>
          ))}
        </SelectField>
      </div>
      {problem && <Notice tone="warn">{problem}</Notice>}
      {differences ? (
        <>
          <p className="text-muted">{summaryOf(differences)}</p>
          <Table label="Differences" columns={['What', 'This backup', right]}>
            {differences.map(({ title, left, right: text, isChanged }) => (
              <Row key={title}>
                <Cell wide>
                  <span className="flex flex-wrap items-center gap-x-3">
                    <span className="font-medium">{title}</span>
                    {isChanged && <Badge tone="warn">Differs</Badge>}
                  </span>
                </Cell>
                <Cell label="This backup" free>
                  {unturned(left)}
                </Cell>
                <Cell label={right} free>
                  <span className={isChanged ? 'font-medium text-warn' : 'text-muted'}>{unturned(text)}</span>
                </Cell>
              </Row>
            ))}
          </Table>
        </>
      ) : machine.isError ? (
        <ProblemNotice error={machine.error} retry={() => void machine.refetch()} />
      ) : chosen === NOW ? (
        <Skeleton rows={6} />
      ) : (
        <Notice tone="warn">The other backup is not there any more. Choose another one.</Notice>
      )}
      <p className="max-w-[68ch] text-sm text-muted">
        A backup has the disk, and what is listed here is all that was noted beside it. The files themselves
        are not compared: to look into them, make a new machine from the backup.
      </p>
    </div>
  );
}

function summaryOf(differences: readonly Difference[]): string {
  const changed = differences.filter(({ isChanged }) => isChanged).map(({ title }) => title.toLowerCase());
  if (changed.length === 0) return 'Nothing that was noted differs.';
  return `${changed.length} of ${differences.length} differ.`;
}
