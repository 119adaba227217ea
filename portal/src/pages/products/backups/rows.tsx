import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWhyNot } from '../../../data/access.ts';
import { type NounFamily, nounNamed } from '../../../data/nouns.ts';
import type { Resource } from '../../../data/product.ts';
import { operationQuery } from '../../../data/queries.ts';
import { formatBytes } from '../../../data/sizes.ts';
import type { Backup } from '../../../data/storage-types.ts';
import { formatTime } from '../../../data/words.ts';
import { type Act, actsFor } from '../../../resource/acts.ts';
import { ActDialog } from '../../../resource/lazy-act.tsx';
import { answerOf } from '../../../resource/schema.ts';
import { Status } from '../../../resource/value.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Acts, Cell, Row, Table } from '../../../ui/rows.tsx';
import { Ago } from '../../../ui/time.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { useBackupActs } from './acts.ts';
import { newMachineFrom, pageOfBackup, type To } from './links.ts';
import { kinds } from './words.ts';

interface Props {
  readonly backups: readonly Backup[];
  readonly families: readonly NounFamily[];
  readonly restore: (backup: Backup) => void;
}

const resourceOf = (backup: Backup): Resource => backup as unknown as Resource;

export function BackupRows({ backups, families, restore }: Props) {
  const whyNot = useWhyNot();
  const acts = useBackupActs(families);
  const navigate = useNavigate();
  const noun = nounNamed(families, 'backup');
  const document = useQuery({
    ...operationQuery(noun?.read?.id ?? ''),
    enabled: noun?.read !== undefined,
  }).data;
  const [open, setOpen] = useState<{ readonly act: Act; readonly backup: Backup } | null>(null);
  if (noun === undefined || document === undefined) return null;
  const status =
    answerOf(document, noun.read?.id ?? '').members.find(([name]) => name === 'status')?.[1] ?? {};
  const go = (to: To) => () => void navigate(to);
  const deletionOf = (backup: Backup): Act | undefined =>
    actsFor(noun, resourceOf(backup), status, whyNot).find(({ call }) => call.id === noun.delete?.id);
  return (
    <>
      <Table label="Backups" columns={['Taken', 'Name', 'State', 'Size', 'Kept', 'Acts']}>
        {backups.map((backup) => {
          const deletion = deletionOf(backup);
          return (
            <Row key={backup.id}>
              <Cell wide quiet={formatTime(backup.created_at)}>
                <Link
                  {...pageOfBackup(families, backup)}
                  className="font-medium whitespace-nowrap hover:text-accent-ink hover:underline"
                >
                  <Ago time={backup.created_at} />
                </Link>
              </Cell>
              <Cell label="Name" free quiet={kinds[backup.kind]}>
                {unturned(backup.name)}
              </Cell>
              <Cell label="State">
                <Status value={backup.status} schema={status} row={resourceOf(backup)} />
              </Cell>
              <Cell label="Size">
                <span className="whitespace-nowrap">
                  {backup.size_bytes === null ? '–' : formatBytes(backup.size_bytes)}
                </span>
              </Cell>
              <Cell label="Kept">
                {backup.expires_at === null ? (
                  backup.policy_id === null ? (
                    'until deleted'
                  ) : (
                    'as its policy says'
                  )
                ) : (
                  <>
                    deleted <Ago time={backup.expires_at} />
                  </>
                )}
              </Cell>
              <Acts>
                <Menu
                  label={`Acts on Backup ${backup.name}`}
                  items={[
                    { label: 'Restore', why: acts.restore(backup), run: () => restore(backup) },
                    {
                      label: 'New machine from it',
                      why: acts.newMachine(backup),
                      run: go(newMachineFrom(families, backup)),
                    },
                    { label: 'Compare', run: go(pageOfBackup(families, backup, 'compare')) },
                    {
                      label: 'Download',
                      why: acts.download(backup),
                      run: go(pageOfBackup(families, backup, 'download')),
                    },
                    ...(deletion
                      ? ([
                          'line',
                          {
                            label: deletion.label,
                            danger: true,
                            why: deletion.why,
                            run: () => setOpen({ act: deletion, backup }),
                          },
                        ] as const)
                      : []),
                  ]}
                />
              </Acts>
            </Row>
          );
        })}
      </Table>
      {open && (
        <ActDialog
          act={open.act}
          noun={noun}
          row={resourceOf(open.backup)}
          path={{ id: open.backup.id }}
          name={open.backup.name}
          close={() => setOpen(null)}
        />
      )}
    </>
  );
}
