import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useWhyNot } from '../../data/access.ts';
import { webhooksQuery } from '../../data/account-queries.ts';
import type { Webhook } from '../../data/account-types.ts';
import { send } from '../../data/http.ts';
import { calls, useAccount } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { formatTime } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { Empty, Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { unturned } from '../../ui/unturned.ts';
import { useAct } from '../../ui/use-act.ts';
import { Deliveries } from './deliveries.tsx';
import { SecretOnce } from './secret-once.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { answerOf, declared, toneOf, troubleOf } from './words.ts';

export default function WebhookPage() {
  const { id = '' } = useParams({ strict: false });
  const account = useAccount();
  const query = useQuery(webhooksQuery(account));
  return (
    <>
      <Link
        to="/webhooks"
        className="mb-4 inline-flex min-h-8 items-center gap-1.5 rounded text-sm text-muted hover:text-ink"
      >
        <Icon name="right" className="rotate-180" />
        Webhooks
      </Link>
      {query.data === undefined && <PageHead title="Webhook" />}
      <Loaded query={query} rows={5}>
        {(webhooks) => {
          const webhook = webhooks.find((each) => each.id === id);
          return webhook === undefined ? (
            <>
              <PageHead title="Webhook" />
              <Empty title="There is no such webhook">
                It may have been deleted. The audit log knows by whom.
              </Empty>
            </>
          ) : (
            <Shown account={account} webhook={webhook} />
          );
        }}
      </Loaded>
    </>
  );
}

function Shown({ account, webhook }: { account: Account; webhook: Webhook }) {
  const { edit } = useSearch({ strict: false }) as { edit?: string };
  const navigate = useNavigate();
  const whyNot = useWhyNot();
  const [asked, setAsked] = useState<Act | null>(null);
  const change = (isOpen: boolean): void =>
    void navigate({
      to: '/webhooks/$id',
      params: { id: webhook.id },
      search: (isOpen ? { edit: 'yes' } : {}) as Record<string, string>,
    });
  const trouble = troubleOf(webhook);
  const { last_failure: failure, previous_secret_valid_until: previous } = webhook;
  return (
    <>
      <PageHead
        title={webhook.name}
        act={
          <>
            <Button why={whyNot('deleteWebhook')} onClick={() => setAsked('delete')}>
              Delete
            </Button>
            <Button why={whyNot('setWebhook')} onClick={() => setAsked('roll')}>
              New secret
            </Button>
            <Button kind="primary" why={whyNot('setWebhook')} onClick={() => change(true)}>
              Change
            </Button>
          </>
        }
      >
        {unturned(webhook.description) || 'Events, sent by POST and signed.'}
      </PageHead>
      {trouble && (
        <div className="mb-6">
          <Notice tone="warn">{trouble}</Notice>
        </div>
      )}
      <Section title="About it">
        <Facts>
          <Fact title="Status">
            <Badge tone={toneOf(webhook.status)}>{webhook.status}</Badge>
          </Fact>
          <Fact title="Address">
            <code className="wrap-anywhere">{unturned(webhook.url)}</code>
          </Fact>
          <Fact title="Events">
            <span className="flex flex-wrap gap-1.5">
              {webhook.event_types.map((type) => (
                <code key={type} className="rounded bg-sunken px-1.5 text-sm wrap-anywhere">
                  {type === '*' ? 'all' : type}
                </code>
              ))}
            </span>
          </Fact>
          <Fact title="Last delivered">
            {webhook.last_success_at === null ? 'never' : <Ago time={webhook.last_success_at} />}
          </Fact>
          {failure && (
            <Fact title="Last failure">
              <Ago time={failure.at} />: {answerOf(failure.http_status, failure.code)}
            </Fact>
          )}
          {previous && <Fact title="Old secret">signs, too, until {formatTime(previous)}</Fact>}
        </Facts>
      </Section>
      <Deliveries account={account} webhook={webhook} />
      {edit !== undefined && whyNot('setWebhook') === undefined && (
        <WebhookForm account={account} webhook={webhook} close={() => change(false)} />
      )}
      {asked === 'delete' && <Delete account={account} webhook={webhook} close={() => setAsked(null)} />}
      {asked === 'roll' && <Roll account={account} webhook={webhook} close={() => setAsked(null)} />}
    </>
  );
}

type Act = 'roll' | 'delete';

interface ActProps {
  readonly account: Account;
  readonly webhook: Webhook;
  readonly close: () => void;
}

function Delete({ account, webhook, close }: ActProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { busy, error, run } = useAct(async () => {
    await send(`${calls(account)}/account/v1/webhooks/${webhook.id}`, { method: 'DELETE' });
    await navigate({ to: '/webhooks' });
    await client.invalidateQueries({ queryKey: [account.id, 'webhooks'] });
    toast(`The webhook ${webhook.name} is deleted.`);
  });
  return (
    <Confirm
      title={`Delete ${webhook.name}`}
      act={{ label: 'Delete', run: () => void run() }}
      busy={busy}
      danger
      close={close}
    >
      <ProblemNotice error={error} />
      <p className="text-muted">
        Nothing is sent any more, messages that wait are dropped, and the history of its deliveries is lost.
      </p>
    </Confirm>
  );
}

function Roll({ account, webhook, close }: ActProps) {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const { busy, error, run } = useAct(async () => {
    const made = await send<{ readonly secret: string | null }>(
      `${calls(account)}/account/v1/webhooks/${webhook.id}`,
      { method: 'PUT', body: { ...declared(webhook), secret_version: webhook.secret_version + 1 } },
    );
    setSecret(made.secret);
    await client.invalidateQueries({ queryKey: [account.id, 'webhooks'] });
  });
  if (secret !== null) return <SecretOnce name={webhook.name} secret={secret} close={close} />;
  return (
    <Confirm
      title={`A new secret for ${webhook.name}`}
      act={{ label: 'Make a new secret', run: () => void run() }}
      busy={busy}
      close={close}
    >
      <ProblemNotice error={error} />
      <p className="text-muted">
        The old secret signs as well for 24 hours, so your server has time to learn the new one.
      </p>
    </Confirm>
  );
}
