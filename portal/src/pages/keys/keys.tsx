import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keyOptionsQuery, keysQuery } from '../../data/queries.ts';
import { maySee, useAccount } from '../../data/session.ts';
import type { ApiKey, KeyOptions, NewKey } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Acts, Cell, Row, Table } from '../../ui/rows.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { Ago, useNow } from '../../ui/time.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyDetails } from './key-details.tsx';
import { KeyMenu } from './key-menu.tsx';
import { KeyPolicy } from './key-policy.tsx';
import { SecretOnce } from './secret-once.tsx';
import { StopAll } from './stop-all.tsx';
import { KeyTabs } from './tabs.tsx';
import { grantWords, isEnding, permissionWords, statusTone } from './words.ts';

export default function Keys() {
  const account = useAccount();
  const query = useQuery(keysQuery(account));
  const options = useQuery(keyOptionsQuery(account)).data;
  const {
    create,
    key: shownId,
    all,
    policy,
  } = useSearch({ strict: false }) as { create?: string; key?: string; all?: string; policy?: string };
  const navigate = useNavigate();
  const [made, setMade] = useState<NewKey | null>(null);
  const go = (search: Record<string, string>): void => void navigate({ to: '/api/keys', search });
  const mayCreate = maySee(account);
  return (
    <>
      <PageHead
        title="API keys"
        act={
          <Button
            kind="primary"
            why={mayCreate ? undefined : 'The role billing may not own keys.'}
            onClick={() => go({ create: 'new' })}
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
      <Loaded query={query}>
        {({ data }) => {
          const living = data.filter(({ status }) => status !== 'revoked' && status !== 'expired');
          const ended = data.length - living.length;
          const shown = all === undefined ? living : data;
          return (
            <>
              {shown.length === 0 ? (
                <NoKeys options={options} choose={(preset) => go({ create: `preset ${preset}` })} />
              ) : (
                <KeyTable keys={shown} options={options} open={(id) => go({ key: id })} made={setMade} />
              )}
              <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
                <span>
                  {ended > 0 && (
                    <Button kind="quiet" small onClick={() => go(all === undefined ? { all: 'yes' } : {})}>
                      {all === undefined ? `Show ${ended} ended` : 'Hide ended'}
                    </Button>
                  )}
                </span>
                <span className="flex flex-wrap gap-2">
                  <Button kind="quiet" small onClick={() => go({ policy: 'edit' })}>
                    Key policy
                  </Button>
                  {data.length > 0 && (
                    <StopAll account={account} suspended={options?.policy.keys_suspended === true} />
                  )}
                </span>
              </div>
              {shownId !== undefined && (
                <KeyDetails
                  keyOf={data.find(({ id }) => id === shownId)}
                  options={options}
                  close={() => go({})}
                />
              )}
            </>
          );
        }}
      </Loaded>
      {create !== undefined && made === null && (
        <CreateKey account={account} wanted={create} close={() => go({})} made={setMade} />
      )}
      {policy !== undefined && options !== undefined && (
        <KeyPolicy account={account} options={options} close={() => go({})} />
      )}
      {made !== null && (
        <SecretOnce
          made={made}
          close={() => {
            setMade(null);
            go({});
          }}
        />
      )}
    </>
  );
}

function KeyTable({
  keys,
  options,
  open,
  made,
}: {
  keys: readonly ApiKey[];
  options: KeyOptions | undefined;
  open: (id: string) => void;
  made: (key: NewKey) => void;
}) {
  const now = useNow();
  return (
    <Table label="API keys" columns={['Name', 'Permissions', 'Last used', 'Expires', 'Status', 'Acts']}>
      {keys.map((key) => (
        <Row key={key.id}>
          <Cell wide free quiet={<code className="text-xs">hpk1_{key.public_id}…</code>}>
            <button
              type="button"
              className="rounded text-left font-medium hover:underline max-lg:pr-12"
              onClick={() => open(key.id)}
            >
              {key.name}
            </button>
          </Cell>
          <Cell label="Permissions" quiet={grantWords(key)}>
            {permissionWords(key, options)}
          </Cell>
          <Cell
            free
            label="Last used"
            quiet={
              key.last_used && (
                <>
                  <code>{key.last_used.operation_id ?? 'call'}</code> from {key.last_used.ip}
                </>
              )
            }
          >
            {key.last_used ? <Ago time={key.last_used.at} /> : <span className="text-muted">Never</span>}
          </Cell>
          <Cell label="Expires">
            {key.expires_at === null ? (
              <span className="text-muted">Never</span>
            ) : isEnding(key, now) ? (
              <Badge tone="warn" dot={false}>
                <Ago time={key.expires_at} />
              </Badge>
            ) : (
              <Ago time={key.expires_at} />
            )}
          </Cell>
          <Cell label="Status" quiet={key.exposed_at && <span className="text-bad">Found in public</span>}>
            <Badge tone={statusTone(key.status)}>{key.status}</Badge>
          </Cell>
          <Acts>
            <KeyMenu keyOf={key} made={made} open={() => open(key.id)} />
          </Acts>
        </Row>
      ))}
    </Table>
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
