import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../../../data/nouns.ts';
import { usePlaces } from '../../../data/places.ts';
import type { Iso } from '../../../data/storage-types.ts';
import type { Operation } from '../../../data/types.ts';
import { count } from '../../../data/words.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { Failed } from '../imports/failed.tsx';
import { Work } from '../work.tsx';
import { useDrive } from './drive.ts';
import { Insert } from './insert.tsx';

/** Where it comes from, where it is inserted, and how far it is. */
export default function Overview({ found: { row, noun, families, path } }: { found: Found }) {
  const iso = row as unknown as Iso;
  const drive = useDrive(families, iso);
  const placed = usePlaces();
  const [isInserting, setInserting] = useState(false);
  const { status, mounted_on_count: machines } = iso;
  return (
    <>
      {(status === 'downloading' || status === 'verifying') && iso.operation && (
        <Work
          title={
            status === 'downloading' ? 'The file is being fetched.' : 'The file is being checked and stored.'
          }
          operation={iso.operation as Operation}
        />
      )}
      {status === 'failed' && (
        <Failed id={iso.id} noun={noun} title="The ISO cannot be used." failure={iso.failure} />
      )}
      <section
        aria-label="In short"
        className="card mb-6 grid gap-4 p-4 md:p-5 lg:grid-cols-[minmax(0,1fr)_auto]"
      >
        <dl className="grid min-w-0 content-start gap-4 sm:grid-cols-2">
          <div>
            <dt className="text-xs text-faint">Imported from</dt>
            <dd className="wrap-anywhere">
              {iso.source_url === null ? (
                'Your provider offers it.'
              ) : (
                <code className="break-all">{unturned(iso.source_url)}</code>
              )}
            </dd>
          </div>
          <div>
            <dt className="text-xs text-faint">In the drive of</dt>
            <dd>
              {machines === 0 ? (
                <span className="text-muted">No machine</span>
              ) : (
                <Link
                  to={addressOf(noun, families, String(path['id'] ?? iso.id))}
                  search={{ tab: 'vms' }}
                  className="link"
                >
                  {count(machines, 'machine')}
                </Link>
              )}
              <span className="block text-sm text-muted">
                For {iso.architecture} machines
                {iso.locations.length > 0 && ` in ${iso.locations.map(placed).join(', ')}`}
              </span>
            </dd>
          </div>
        </dl>
        <div className="flex items-start max-md:*:flex-1">
          <Button kind="primary" why={drive.why} onClick={() => setInserting(true)}>
            Insert into a machine
          </Button>
        </div>
      </section>
      {isInserting && <Insert iso={iso} families={families} close={() => setInserting(false)} />}
    </>
  );
}
