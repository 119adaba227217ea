import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../../../data/nouns.ts';
import { Place } from '../../../data/places.ts';
import type { Iso, Vm } from '../../../data/storage-types.ts';
import { spoken } from '../../../data/words.ts';
import { ActDialog } from '../../../resource/lazy-act.tsx';
import { useRows } from '../../../resource/pages-of-list.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { ProblemNotice } from '../../../ui/notice.tsx';
import { Acts, Cell, Row, Table } from '../../../ui/rows.tsx';
import { Empty, Skeleton } from '../../../ui/states.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { useDrive } from './drive.ts';
import { Insert } from './insert.tsx';

/** The machines that have it in their drive. */
export default function Machines({ found: { row, families } }: { found: Found }) {
  const iso = row as unknown as Iso;
  const { noun, call, mayNot, why } = useDrive(families, iso);
  const { rows, error, hasMore, isMore, more, retry } = useRows('vm', noun?.rows?.path ?? '', {
    iso_id: iso.id,
  });
  const [isInserting, setInserting] = useState(false);
  const [ejecting, setEjecting] = useState<Vm | null>(null);
  const machines = rows as readonly Vm[] | undefined;
  if (machines === undefined || noun === undefined)
    return error === null ? <Skeleton rows={4} /> : <ProblemNotice error={error} retry={retry} />;
  const insert = (
    <Button kind="primary" why={why} onClick={() => setInserting(true)}>
      Insert into a machine
    </Button>
  );
  return (
    <>
      {machines.length === 0 ? (
        <Empty title="It is in no drive" act={insert}>
          A machine boots from the disc in its drive once, or as long as its own disk is empty.
        </Empty>
      ) : (
        <>
          <div className="mb-4 flex justify-end">{insert}</div>
          <Table label="Machines" columns={['Machine', 'State', 'Location', 'Boots from it', 'Acts']}>
            {machines.map((vm) => (
              <Row key={vm.id}>
                <Cell wide free>
                  <Link
                    to={addressOf(noun, families, vm.id)}
                    className="font-medium hover:text-accent-ink hover:underline max-lg:mr-20 max-lg:block"
                  >
                    {unturned(vm.name)}
                  </Link>
                </Cell>
                <Cell label="State">{spoken(vm.status)}</Cell>
                <Cell label="Location">
                  <Place slug={vm.location} />
                </Cell>
                <Cell label="Boots from it">
                  {vm.iso?.boot_once ? 'At the next start' : 'If its disk is empty'}
                </Cell>
                <Acts>
                  <Button small why={mayNot} onClick={() => setEjecting(vm)}>
                    Eject
                  </Button>
                </Acts>
              </Row>
            ))}
          </Table>
          {hasMore && (
            <div className="mt-4 flex justify-center">
              <Button busy={isMore} onClick={more}>
                Load more
              </Button>
            </div>
          )}
        </>
      )}
      {isInserting && <Insert iso={iso} families={families} close={() => setInserting(false)} />}
      {ejecting && call && (
        <ActDialog
          act={{
            label: 'Eject',
            call,
            fixed: { iso_id: null },
            members: ['restart'],
            isDanger: false,
            why: undefined,
          }}
          noun={noun}
          path={{ id: ejecting.id }}
          name={`${unturned(iso.name)} from ${unturned(ejecting.name)}`}
          close={() => setEjecting(null)}
        />
      )}
    </>
  );
}
