import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { filled, nounNamed, nounsQuery } from '../../../data/nouns.ts';
import { placeOf } from '../../../data/places.ts';
import { oneQuery, pageQuery, type Query, type Resource } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import type { Schema } from '../../../form/document.ts';
import { ObjectForm } from '../../../form/form.tsx';
import type { Creation } from '../../../resource/create.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ProblemNotice } from '../../../ui/notice.tsx';
import { RadioCard } from '../../../ui/radio-card.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { completed, isOpen } from './choose.ts';
import { Plans } from './plans.tsx';
import { Source } from './source.tsx';
import { SshKeys } from './ssh-keys.tsx';

function useListed(operation: string, query: Query, isWanted = true) {
  const account = useAccount();
  const noun = (useQuery(nounsQuery).data ?? [])
    .flatMap(({ nouns }) => nouns)
    .find(({ rows }) => rows?.operation === operation);
  const found = useQuery({
    ...pageQuery(account, noun?.name ?? '', noun?.rows?.path ?? '', { ...query, limit: '200' }),
    enabled: noun !== undefined && isWanted,
    placeholderData: keepPreviousData,
  });
  /** `current`: not what was listed for other choices. */
  return {
    rows: found.data?.data,
    current: found.isPlaceholderData ? undefined : found.data?.data,
    error: found.error,
    retry: () => void found.refetch(),
  };
}

/** Undefined while it is read; null if it cannot be. */
function useBackup(id: string): Resource | null | undefined {
  const account = useAccount();
  const noun = nounNamed(useQuery(nounsQuery).data ?? [], 'backup');
  const found = useQuery({
    ...oneQuery(account, 'backup', filled(noun?.read?.path ?? '', { id })),
    enabled: noun?.read !== undefined && id !== '',
  });
  return found.isError ? null : found.data;
}

/** Members that a part of this page shows. The generated form shows the others. */
const SHOWN = new Set([
  'name',
  'location',
  'source',
  'plan',
  'custom_size',
  'ssh_key_ids',
  'generate_password',
]);
const NETWORK = ['public_ipv4', 'public_ipv6', 'networks', 'firewall_ids'];

export default function NewVm({ creation }: { creation: Creation }) {
  const { body, change, described, faults } = creation;
  const location = String(body['location'] ?? '');
  const { type, ...named } = (body['source'] ?? {}) as Resource;
  const sourceId = type === 'backup' ? undefined : Object.values(named)[0];
  const locations = useListed('listVpsLocations', {});
  const images = useListed('listImages', { status: 'available', location }, location !== '');
  const plans = useListed(
    'listVpsPlans',
    { location, for_source: typeof sourceId === 'string' ? sourceId : '' },
    location !== '',
  );
  const backupId = type === 'backup' ? String(named['backup_id'] ?? '') : '';
  const backup = useBackup(backupId);
  const keys = useListed('listVpsSshKeys', {});
  const machines = useListed('listVms', {});
  const full = completed(body, {
    locations: locations.current,
    images: images.current,
    plans: backupId === '' || backup !== undefined ? plans.current : undefined,
    backup: backup ?? undefined,
    keys: keys.current,
    names: machines.current?.map(({ name }) => String(name)),
  });
  useEffect(() => {
    if (full !== body) change(full);
  });
  const set = (members: Resource): void => {
    for (const name of Object.keys(members)) faults.changed(`/${name}`);
    change({ ...body, ...members });
  };
  const resolve = described.resolve;
  const properties = (described.body?.['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const formOf = (names: readonly string[]) => (
    <ObjectForm
      schema={{
        type: 'object',
        properties: Object.fromEntries(
          names.flatMap((name) => {
            const found = properties[name];
            // On this page they are folded, or not, as a whole.
            return found === undefined ? [] : [[name, { ...resolve(found), 'x-advanced': false }]];
          }),
        ),
      }}
      value={body}
      change={(next) => change(next as Resource)}
    />
  );
  const rest = Object.keys(properties).filter((name) => !SHOWN.has(name) && !NETWORK.includes(name));
  const isWrong = rest.some((name) => faults.isFaulty(`/${name}`));
  if (locations.rows === undefined)
    return locations.error === null ? (
      <Skeleton rows={6} />
    ) : (
      <ProblemNotice error={locations.error} retry={locations.retry} />
    );
  return (
    <div className="grid grid-cols-1 gap-9">
      <Part title="Location" fault={faults.faults('/location')}>
        <div className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
          {locations.rows.map((each) => (
            <RadioCard
              key={String(each['slug'])}
              name="location"
              title={placeOf(each)}
              note={`${each['city']}, ${countryOf(String(each['country']))}${isOpen(each) ? '' : `: ${each['status']}`}`}
              checked={location === each['slug']}
              disabled={!isOpen(each)}
              choose={() => set({ location: each['slug'] })}
            />
          ))}
        </div>
      </Part>
      <Part title="System">
        <Source creation={creation} images={images.rows ?? []} set={set} />
      </Part>
      <Part title="Size" fault={faults.faults('/plan')}>
        {plans.rows && <Plans creation={creation} plans={plans.rows} set={set} />}
      </Part>
      <Part title="Access" fault={faults.faults('/ssh_key_ids')}>
        <SshKeys keys={keys.rows ?? []} body={body} set={set} />
      </Part>
      <Part title="Network">{formOf(NETWORK)}</Part>
      <Part title="Name">
        <TextField
          label="Name of the machine"
          hint="Lower-case letters, digits and hyphens. It is also the host name."
          autoComplete="off"
          spellCheck={false}
          fault={faults.faults('/name')}
          value={String(body['name'] ?? '')}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Part>
      <details open={isWrong || undefined} className="card px-4 py-3 md:px-5">
        <summary className="font-medium">
          More options: labels, user data, volumes, backups, protection
        </summary>
        <div className="mt-4">{formOf(rest)}</div>
      </details>
    </div>
  );
}

const countries = new Intl.DisplayNames(['en'], { type: 'region' });
const countryOf = (code: string): string => countries.of(code) ?? code;

function Part({
  title,
  fault,
  children,
}: {
  title: string;
  fault?: string | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset className="grid min-w-0 grid-cols-1 gap-3">
      <legend className="mb-3 text-lg font-semibold">{title}</legend>
      {children}
      {fault !== undefined && <p className="text-sm text-bad">{fault}</p>}
    </fieldset>
  );
}
