import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { keyOptionsQuery, keyPagesQuery, keySummaryQuery } from '../../data/queries.ts';
import { maySee, useAccount } from '../../data/session.ts';
import type { ApiKey, KeyOptions, KeySummary, List, NewKey } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyDetails } from './key-details.tsx';
import { isFiltered, KeyFilters, type KeySearch, keyFilter } from './key-filters.tsx';
import { KeyPolicy } from './key-policy.tsx';
import { KeyTable } from './key-table.tsx';
import { RollKey } from './roll-key.tsx';
import { SecretOnce } from './secret-once.tsx';
import { StopAll } from './stop-all.tsx';
import { KeyTabs } from './tabs.tsx';

/** What the address can open, besides the filter. */
interface Opened {
  readonly create?: string;
  readonly key?: string;
  readonly policy?: string;
  readonly roll?: string;
  readonly add?: string;
}

export default function Keys() {
  const account = useAccount();
  const { create, key, policy, roll, add, ...search } = useSearch({ strict: false }) as Opened & KeySearch;
  const summary = useQuery(keySummaryQuery(account));
  const query = useInfiniteQuery({
    ...keyPagesQuery(account, keyFilter(search)),
    placeholderData: keepPreviousData,
  });
  const options = useQuery(keyOptionsQuery(account)).data;
  const navigate = useNavigate();
  const [made, setMade] = useState<NewKey | null>(null);
  const show = (next: Record<string, string>, replace = false): void =>
    void navigate({ to: '/api/keys', search: next, replace });
  const open = (opened: Record<string, string>): void => show({ ...(search as object), ...opened });
  const close = (): void => open({});
  return (
    <>
      <PageHead
        title="API keys"
        act={
          <Button
            kind="primary"
            why={maySee(account) ? undefined : 'The role billing may not own keys.'}
            onClick={() => open({ create: 'new' })}
          >
            <Icon name="plus" />
            Create Key
          </Button>
        }
      >
        A key acts for its owner: it may do at most what the owner’s role allows. Its secret is shown once.
      </PageHead>
      <KeyTabs />
      {options?.policy.keys_suspended && (
        <div className="mb-5">
          <Notice tone="warn">All keys of this account are suspended. The menu below resumes them.</Notice>
        </div>
      )}
      <Loaded query={summary}>
        {(found) => (
          <>
            <Warnings summary={found} />
            {Object.values(found.counts).every((number) => number === 0) ? (
              <NoKeys options={options} choose={(preset) => open({ create: `preset ${preset}` })} />
            ) : (
              <>
                <KeyFilters
                  account={account}
                  search={search}
                  counts={found.counts}
                  change={(next) => show(next, true)}
                />
                <KeyList query={query} search={search} options={options} open={open} clear={() => show({})} />
              </>
            )}
            <div className="mt-4 flex flex-wrap justify-end gap-2">
              <Button kind="quiet" small onClick={() => open({ policy: 'edit' })}>
                Key policy
              </Button>
              <StopAll account={account} suspended={options?.policy.keys_suspended === true} />
            </div>
          </>
        )}
      </Loaded>
      {key !== undefined && <KeyDetails id={key} options={options} close={close} />}
      {create !== undefined && made === null && (
        <CreateKey account={account} wanted={create} close={close} made={setMade} />
      )}
      {roll !== undefined && made === null && (
        <RollKey account={account} id={roll} add={add} close={close} made={setMade} />
      )}
      {policy !== undefined && options !== undefined && (
        <KeyPolicy account={account} options={options} close={close} />
      )}
      {made !== null && (
        <SecretOnce
          made={made}
          close={() => {
            setMade(null);
            close();
          }}
        />
      )}
    </>
  );
}

function Warnings({ summary: { exposed, ending } }: { summary: KeySummary }) {
  const names = (keys: readonly { readonly id: string; readonly name: string }[]) =>
    keys.map(({ id, name }, i) => (
      <Fragment key={id}>
        {i > 0 && ', '}
        <Link to="/api/keys" search={{ key: id }} className="underline">
          {name}
        </Link>
      </Fragment>
    ));
  return (
    <div className="mb-4 grid gap-2 empty:hidden">
      {exposed.length > 0 && (
        <Notice tone="bad">
          {count(exposed.length, 'key')} found in public:{' '}
          <span className="wrap-anywhere">{names(exposed)}</span>. Roll or revoke{' '}
          {exposed.length === 1 ? 'it' : 'them'} now.
        </Notice>
      )}
      {ending.length > 0 && (
        <Notice tone="warn">
          {count(ending.length, 'key')} {ending.length === 1 ? 'ends' : 'end'} soon:{' '}
          <span className="wrap-anywhere">{names(ending)}</span>. Roll {ending.length === 1 ? 'it' : 'them'}{' '}
          in time.
        </Notice>
      )}
    </div>
  );
}

function KeyList({
  query,
  search,
  options,
  open,
  clear,
}: {
  query: UseInfiniteQueryResult<InfiniteData<List<ApiKey>>>;
  search: KeySearch;
  options: KeyOptions | undefined;
  open: (search: Record<string, string>) => void;
  clear: () => void;
}) {
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const keys = pages.flatMap(({ data }) => data);
        return keys.length > 0 ? (
          <>
            <KeyTable keys={keys} options={options} open={open} />
            <LoadMore query={query} />
          </>
        ) : (
          <Empty
            title={isFiltered(search) ? 'No key fits' : 'All keys have ended'}
            act={isFiltered(search) ? <Button onClick={clear}>Show all again</Button> : undefined}
          >
            {isFiltered(search)
              ? 'No key of this account has these words, this owner and this status.'
              : 'Choose “Ended” above to see them, or create a new one.'}
          </Empty>
        );
      }}
    </Loaded>
  );
}

function NoKeys({ options, choose }: { options: KeyOptions | undefined; choose: (preset: string) => void }) {
  const suggested =
    options?.presets.filter(({ id }) => ['read-only', 'ci-deploy', 'ai-agent'].includes(id)) ?? [];
  return (
    <>
      <Empty title="No keys yet">
        Programs call the API with a key. Make one for each program, so that each can be stopped by itself.
      </Empty>
      {suggested.length > 0 && (
        <div className="mt-4 grid gap-4 md:grid-cols-3">
          {suggested.map((preset) => (
            <button
              key={preset.id}
              type="button"
              className="card p-5 text-left transition-colors hover:border-accent"
              onClick={() => choose(preset.id)}
            >
              <span className="block font-medium">{preset.title}</span>
              <span className="mt-1 block text-sm text-muted">{preset.description}</span>
            </button>
          ))}
        </div>
      )}
    </>
  );
}
