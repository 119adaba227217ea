import { useNavigate } from '@tanstack/react-router';
import { useWhyNot } from '../../../data/access.ts';
import { listAddress, nounNamed } from '../../../data/nouns.ts';
import { usePlaces } from '../../../data/places.ts';
import { formatNumber } from '../../../data/sizes.ts';
import type { Image } from '../../../data/storage-types.ts';
import type { Operation } from '../../../data/types.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Reference } from '../../../resource/value.tsx';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Ago } from '../../../ui/time.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { Failed } from '../imports/failed.tsx';
import { Work } from '../work.tsx';

/** Of what it is made, what can be made of it, and how far it is. */
export default function Overview({ found: { row, noun, families } }: { found: Found }) {
  const image = row as unknown as Image;
  const whyNot = useWhyNot();
  const placed = usePlaces();
  const navigate = useNavigate();
  const machines = nounNamed(families, 'vm');
  const { status, source, removed_at, deprecated_at } = image;
  const why = whyNot('createVm') ?? (status === 'available' ? undefined : 'It is not available.');
  return (
    <>
      {status === 'creating' && image.operation && (
        <Work
          title={source.type === 'url' ? 'The file is being imported.' : 'The image is being made.'}
          operation={image.operation as Operation}
        />
      )}
      {status === 'failed' && (
        <Failed id={image.id} noun={noun} title="The image could not be made." failure={image.failure} />
      )}
      {(deprecated_at ?? removed_at) !== null && (
        <div className="mb-6">
          <Notice tone="warn">
            Choose another one for new machines: this image is on its way out.
            {removed_at !== null && (
              <>
                {' '}
                It is removed <Ago time={removed_at} />.
              </>
            )}
          </Notice>
        </div>
      )}
      <section
        aria-label="In short"
        className="card mb-6 grid gap-4 p-4 md:p-5 lg:grid-cols-[minmax(0,1fr)_auto]"
      >
        <dl className="grid min-w-0 content-start gap-4 sm:grid-cols-2">
          <div>
            <dt className="text-xs text-faint">Made from</dt>
            <dd className="wrap-anywhere">
              <Source source={source} />
            </dd>
          </div>
          <div>
            <dt className="text-xs text-faint">Machines that can use it</dt>
            <dd>
              {image.architecture}, with {formatNumber(image.min_disk_gb, 'GB')} disk and{' '}
              {formatNumber(image.min_memory_mb, 'MB')} memory or more
              <span className="block text-sm text-muted">
                {image.locations.length > 0 && `Ready in ${image.locations.map(placed).join(', ')}. `}
                {image.kind === 'custom' &&
                  status === 'available' &&
                  'Other locations get a copy with their first machine.'}
              </span>
            </dd>
          </div>
        </dl>
        <div className="flex items-start max-md:*:flex-1">
          <Button
            kind="primary"
            why={why}
            onClick={() =>
              machines &&
              void navigate({
                to: `${listAddress(machines)}/new`,
                search: { 'source.type': 'image', 'source.image_id': image.id },
              })
            }
          >
            New machine from it
          </Button>
        </div>
      </section>
    </>
  );
}

const of = { vm: 'The disk of', snapshot: 'The snapshot', backup: 'The backup' } as const;

function Source({ source: { type, id, url } }: { source: Image['source'] }) {
  if (type === 'provider') return <>Your provider made it.</>;
  if (type === 'url') return <code className="break-all">{unturned(url ?? '')}</code>;
  return (
    <>
      {of[type]} {id !== null && <Reference id={id} />}
    </>
  );
}
