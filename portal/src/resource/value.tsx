import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { money } from '../data/money.ts';
import { addressOf, nounNamed, nounsQuery } from '../data/nouns.ts';
import { Place } from '../data/places.ts';
import { type Resource, workOn } from '../data/product.ts';
import { formatNumber } from '../data/sizes.ts';
import { spoken } from '../data/words.ts';
import type { Schema } from '../form/document.ts';
import { Badge } from '../ui/badge.tsx';
import { Ago } from '../ui/time.tsx';
import { unturned } from '../ui/unturned.ts';
import { useNamed } from './references.ts';
import { isEmpty, isFree, isId, isPrice, nameIn, type Price, statesOf, toneOf } from './values.ts';

/** The name of another resource, as a link to it. Without a name it is shown by its id. */
export function Reference({ id }: { id: string }) {
  const named = useNamed(id);
  const families = useQuery(nounsQuery).data ?? [];
  const noun = named && nounNamed(families, named.type);
  if (!named || !noun) return <code className="text-muted">{id}</code>;
  const above = named.parent_id ?? undefined;
  if (noun.parent !== undefined && above === undefined) return <span title={id}>{named.name}</span>;
  return (
    <Link to={addressOf(noun, families, id, above)} className="link" title={id}>
      {named.name}
    </Link>
  );
}

const OwnId = ({ id }: { id: string }) => <code className="break-all">{id}</code>;

interface StatusProps {
  readonly value: string;
  readonly schema: Schema;
  readonly row: Resource;
}

/** The state in words. While an operation works on the resource, its step and progress stand below. */
export function Status({ value, schema, row }: StatusProps) {
  const work = workOn(row);
  const isRunning = work !== null && work.finished_at === null;
  return (
    <>
      <Badge tone={toneOf(statesOf(schema), value)}>{spoken(value)}</Badge>
      {isRunning && (
        <span className="mt-0.5 block w-full max-w-[180px]">
          <span className="block truncate text-xs text-muted">
            {work.step === '' ? 'Waits for its turn' : spoken(work.step)}
          </span>
          <progress
            className="bar"
            aria-label={`Progress of ${spoken(work.type.split('.').at(-1) ?? '').toLowerCase()}`}
            max={100}
            {...(work.progress_percent === null ? {} : { value: work.progress_percent })}
          />
        </span>
      )}
    </>
  );
}

/** In a list the room for the step is kept: rows below must not move when an operation begins or ends. */
export const RowStatus = (props: StatusProps) => (
  <div className={statesOf(props.schema)?.transient.length ? 'flex h-[46px] flex-col lg:-mb-2' : ''}>
    <Status {...props} />
  </div>
);

export const PriceText = ({ price }: { price: Price }) =>
  isFree(price) ? (
    <span className="text-muted">Free</span>
  ) : (
    <span title={`${money(price.hourly, price.currency)} an hour`}>
      <span className="whitespace-nowrap">{money(price.monthly, price.currency)}</span>{' '}
      <span className="whitespace-nowrap text-muted">/ month</span>
    </span>
  );

const NOTHING = (
  <span className="text-faint">
    <span aria-hidden="true">–</span>
    <span className="sr-only">none</span>
  </span>
);

const MOST = 3;

interface ValueProps {
  readonly name: string;
  readonly value: unknown;
  readonly schema: Schema;
  readonly row: Resource;
}

/** One value of a resource, by its name and its schema. */
export function Value({ name, value, schema, row }: ValueProps) {
  if (isEmpty(value)) return NOTHING;
  if (/^locations?$/.test(name) && typeof value === 'string') return <Place slug={value} />;
  if (typeof value === 'string') {
    if (schema['x-states'] !== undefined) return <Status value={value} schema={schema} row={row} />;
    if (schema['format'] === 'date-time') return <Ago time={value} />;
    // Its own id, such as the serial number of a volume, leads nowhere.
    if (isId(value)) return value === row['id'] ? <OwnId id={value} /> : <Reference id={value} />;
    if (schema['enum'] !== undefined) return <>{value.replaceAll('_', ' ')}</>;
    const isTechnical = ['ipv4', 'ipv6', 'cidr', 'hostname', 'uri'].includes(String(schema['format']));
    return isTechnical ? <code className="break-all">{unturned(value)}</code> : unturned(value);
  }
  if (typeof value === 'number') return <>{formatNumber(value, schema['x-unit'])}</>;
  if (typeof value === 'boolean') return <>{value ? 'Yes' : 'No'}</>;
  if (isPrice(value)) return <PriceText price={value} />;
  if (Array.isArray(value)) return <Several name={name} value={value} schema={schema} row={row} />;
  return <>{unturned(nameIn(value as Resource) ?? '') || NOTHING}</>;
}

function Several({ name, value: values, schema, row }: ValueProps & { value: readonly unknown[] }) {
  const items = (schema['items'] ?? {}) as Schema;
  return (
    <span className="flex flex-wrap gap-x-2">
      {values.slice(0, MOST).map((each, i) => (
        // Without an element of its own a text joins the one before, without a gap.
        // biome-ignore lint/suspicious/noArrayIndexKey: the items have no names of their own.
        <span key={i}>
          <Value name={name} value={each} schema={items} row={row} />
        </span>
      ))}
      {values.length > MOST && <span className="text-muted">and {values.length - MOST} more</span>}
    </span>
  );
}

export function Labels({ labels }: { labels: Readonly<Record<string, string>> }) {
  return (
    <span className="flex flex-wrap gap-1.5">
      {Object.entries(labels).map(([key, value]) => (
        <code key={key} className="rounded bg-sunken px-1.5 text-xs wrap-anywhere text-muted">
          {unturned(value === '' ? key : `${key}=${value}`)}
        </code>
      ))}
    </span>
  );
}
