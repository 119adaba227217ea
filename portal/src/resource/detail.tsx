import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWhyNot } from '../data/access.ts';
import { Problem } from '../data/http.ts';
import {
  addressOf,
  filled,
  listAddress,
  type Noun,
  type NounFamily,
  nounNamed,
  ownParameter,
  type PathValues,
  partsOf,
  singularOf,
  titleOf,
} from '../data/nouns.ts';
import { isGone, oneQuery, pageQuery, type Resource, workOn } from '../data/product.ts';
import { operationQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import { inSentence } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Loaded, PageHead } from '../ui/states.tsx';
import { unturned } from '../ui/unturned.ts';
import { ActMenu, nameOf, pathFor } from './act-menu.tsx';
import { Activity } from './activity.tsx';
import { type Act, actsFor } from './acts.ts';
import { AsCode } from './as-code.tsx';
import { FactList } from './facts.tsx';
import { ActDialog } from './lazy-act.tsx';
import { answerOf, type Shape } from './schema.ts';
import { useSearchValues } from './search-values.ts';
import { type Found, type Override, type Tab, TabLinks, tabsFor } from './tabs.tsx';
import { Labels, PriceText, Status } from './value.tsx';
import { isPrice } from './values.ts';

export interface DetailProps {
  readonly noun: Noun;
  readonly families: readonly NounFamily[];
  readonly id: string;
  readonly above?: PathValues;
}

/** While something works on it, in milliseconds. Events say when it ends; this shows how far it is. */
const PROGRESS = 2000;

export function ResourceDetail(props: DetailProps & { override?: Override | undefined }) {
  const { noun, id, above = {} } = props;
  const account = useAccount();
  const call = noun.read;
  const path = { ...above, [ownParameter(call?.path ?? '') ?? 'id']: id };
  const document = useQuery({ ...operationQuery(call?.id ?? ''), enabled: call !== undefined });
  const one = useQuery({
    ...oneQuery(account, noun.name, filled(call?.path ?? '', path)),
    enabled: call !== undefined,
    refetchInterval: ({ queryKey, state: { data, error } }) =>
      data && workOn(data) !== null && !isGone(queryKey.at(-1), error) ? PROGRESS : false,
  });
  // A list that has no call for one of its rows: the row is found in it.
  const rows = useQuery({
    ...pageQuery(account, noun.name, filled(noun.rows?.path ?? '', above), {
      limit: '200',
      ...(noun.rows?.filter === undefined ? {} : { [noun.rows.filter]: id }),
    }),
    enabled: call === undefined && noun.rows !== undefined,
  });
  const listed = useQuery({
    ...operationQuery(noun.rows?.operation ?? ''),
    enabled: call === undefined && noun.rows !== undefined,
  });
  if (one.error instanceof Problem && one.error.status === 404) return <Gone {...props} />;
  const asked = call === undefined ? rows : one;
  if (asked.data === undefined && asked.error !== null)
    return <Unread noun={noun} error={asked.error} retry={() => void asked.refetch()} />;
  if (call === undefined) {
    const row = rows.data?.data.find((each) => String(each[noun.key]) === id);
    return (
      <Loaded query={rows} rows={6}>
        {() =>
          row === undefined ? (
            <Gone {...props} />
          ) : (
            <Loaded query={listed} rows={6}>
              {(json) => (
                <One
                  {...props}
                  row={row}
                  shape={answerOf(json, noun.rows?.operation ?? '', noun.rows?.in ?? '/data')}
                  path={{ ...above, [ownParameter((noun.delete ?? noun.declare)?.path ?? '') ?? 'id']: id }}
                />
              )}
            </Loaded>
          )
        }
      </Loaded>
    );
  }
  return (
    <Loaded query={document} rows={6}>
      {(json) => (
        <Loaded query={one} rows={6}>
          {(row) => <One {...props} row={row} shape={answerOf(json, call.id)} path={path} />}
        </Loaded>
      )}
    </Loaded>
  );
}

/** It cannot be read now, or this person may not read it. */
const Unread = ({ noun, error, retry }: { noun: Noun; error: unknown; retry: () => void }) => (
  <>
    <PageHead title={singularOf(noun)} />
    <ProblemNotice error={error} retry={retry} />
  </>
);

/** It was here once, or the address is wrong. The audit log may know who deleted it. */
function Gone({ noun, families, id, above = {} }: DetailProps) {
  const parent = noun.parent && nounNamed(families, noun.parent.noun);
  const parentId = noun.parent && above[noun.parent.parameter];
  const back = parent && parentId ? addressOf(parent, families, parentId) : listAddress(noun);
  return (
    <>
      <PageHead title={`This ${inSentence(singularOf(noun))} is not there`}>
        It was deleted, or it belongs to another account. Below stands what was done with it.
      </PageHead>
      <p className="mb-6">
        <Link to={back} className="btn btn-primary">
          All {inSentence(titleOf(parent ?? noun))}
        </Link>
      </p>
      <Activity id={id} />
    </>
  );
}

function One(
  props: DetailProps & { row: Resource; shape: Shape; path: PathValues; override?: Override | undefined },
) {
  const { noun, families, row, shape, path, override, above = {} } = props;
  const whyNot = useWhyNot();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Act | null>(null);
  const { tab: asked } = useSearchValues();
  const status = shape.members.find(([name]) => name === 'status')?.[1];
  const acts = actsFor(noun, row, status, whyNot);
  const found: Found = { row, shape, path, noun, families, acts, perform: setOpen };
  const made = override?.tabs ?? [];
  const generated = tabsFor(found).filter(({ slug }) => !made.some((tab) => tab.slug === slug));
  // What has a tab of its own.
  const shownElsewhere = new Set([
    ...(override?.inHead ?? []),
    ...partsOf(noun, families).flatMap(({ rows, slug }) => [
      rows?.in.slice(1) ?? '',
      slug.replaceAll('-', '_'),
    ]),
  ]);
  const tabs: readonly Tab[] = [
    {
      slug: '',
      title: 'Overview',
      show: () => (
        <>
          {override?.head?.(found)}
          <FactList row={row} shape={shape} without={shownElsewhere} />
        </>
      ),
    },
    ...made,
    ...generated,
    ...(typeof row['id'] === 'string'
      ? [{ slug: 'activity', title: 'Activity', show: () => <Activity id={String(row['id'])} /> }]
      : []),
    {
      slug: 'api',
      title: 'API',
      show: () => (
        <div className="grid gap-5">
          {noun.read && (
            <AsCode
              made={{ call: noun.read, path }}
              shown={row}
              title="Read it by program, or manage it with Terraform"
            />
          )}
          <Code title="JSON" text={JSON.stringify(row, null, 2)} tall wrap />
        </div>
      ),
    },
  ];
  const current = tabs.find(({ slug }) => slug === (asked ?? '')) ?? tabs[0]!;
  const mainLabels = override?.main?.(row) ?? [];
  const main = acts.filter(({ label, why }) => why === undefined && mainLabels.includes(label));
  const change = acts.find(({ label }) => label === 'Change');
  const listed = acts.filter((act) => act !== change && !override?.withoutActs?.includes(act.call.id));
  const isOver = row['status'] === 'deleted';
  const price = row['price'];
  const parent = noun.parent && nounNamed(families, noun.parent.noun);
  const parentId = noun.parent && above[noun.parent.parameter];
  const name = nameOf(row);
  return (
    <>
      <nav aria-label="Above" className="mb-2 flex flex-wrap gap-x-2 text-sm text-muted">
        {parent && parentId ? (
          <>
            <Link to={listAddress(parent)} className="hover:text-ink">
              {titleOf(parent)}
            </Link>
            <span aria-hidden="true">/</span>
            <Link
              to={addressOf(parent, families, parentId)}
              search={{ tab: noun.slug }}
              className="hover:text-ink"
            >
              {titleOf(noun)}
            </Link>
          </>
        ) : (
          <Link to={listAddress(noun)} className="hover:text-ink">
            {titleOf(noun)}
          </Link>
        )}
      </nav>
      <PageHead
        title={name}
        act={
          isOver ? undefined : (
            <>
              {main.map((act) => (
                <Button key={act.label} onClick={() => setOpen(act)}>
                  {act.label}
                </Button>
              ))}
              {change && (
                <Button why={change.why} onClick={() => setOpen(change)}>
                  Change
                </Button>
              )}
              <ActMenu noun={noun} name={name} acts={listed} choose={setOpen} />
            </>
          )
        }
      >
        {unturned(String(row['description'] ?? ''))}
      </PageHead>
      <div className="mb-5 flex flex-wrap items-center gap-x-6 gap-y-2">
        {status && typeof row['status'] === 'string' && (
          <div>
            <Status value={row['status']} schema={status} row={row} />
          </div>
        )}
        {isPrice(price) && <PriceText price={price} />}
        {row['labels'] !== undefined && Object.keys(row['labels'] as object).length > 0 && (
          <Labels labels={row['labels'] as Readonly<Record<string, string>>} />
        )}
      </div>
      {typeof row['status_reason'] === 'string' && (
        <div className="mb-5">
          <Notice tone="bad">
            The last change failed: {row['status_reason']}.{' '}
            <Link
              to="/operations"
              search={{ resource: String(row['id']), status: 'failed' }}
              className="link"
            >
              See why, and what to do
            </Link>
          </Notice>
        </div>
      )}
      <TabLinks label={`Parts of ${name}`} tabs={tabs} current={current.slug} />
      {current.show(found)}
      {open && (
        <ActDialog
          act={open}
          noun={noun}
          row={row}
          path={pathFor(noun, open, row, above)}
          name={name}
          close={() => setOpen(null)}
          done={(answer) => {
            if (open.call.id === noun.delete?.id && answer['operation'] == null)
              void navigate({
                to: parent && parentId ? addressOf(parent, families, parentId) : listAddress(noun),
              });
          }}
        />
      )}
    </>
  );
}
