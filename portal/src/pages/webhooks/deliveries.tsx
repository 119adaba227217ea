import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useWhyNot } from '../../data/access.ts';
import { deliveriesQuery } from '../../data/account-queries.ts';
import type { Delivery, Webhook } from '../../data/account-types.ts';
import { post } from '../../data/http.ts';
import { calls } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { More } from '../../ui/more.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Empty, Loaded, Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useSteady } from '../../ui/use-steady.ts';
import { answerOf, toneOf } from './words.ts';

const statuses = ['failed', 'pending', 'succeeded', 'discarded'];

/** Each attempt of the last 30 days. A message that failed can be sent again. */
export function Deliveries({ account, webhook }: { account: Account; webhook: Webhook }) {
  const { status } = useSearch({ strict: false }) as { status?: string };
  const navigate = useNavigate();
  const query = useInfiniteQuery(deliveriesQuery(account, webhook.id, status));
  return (
    <Section
      title="Deliveries"
      note="Every attempt of the last 30 days."
      act={
        <div className="w-40">
          <SelectField
            label="Status"
            value={status ?? ''}
            onChange={(event) =>
              void navigate({
                to: '/webhooks/$id',
                params: { id: webhook.id },
                search: (event.target.value === '' ? {} : { status: event.target.value }) as Record<
                  string,
                  string
                >,
                replace: true,
              })
            }
          >
            <option value="">All</option>
            {statuses.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
        </div>
      }
    >
      <Loaded query={query} rows={3}>
        {({ pages }) => (
          <Rows account={account} webhook={webhook} deliveries={pages.flatMap(({ data }) => data)} />
        )}
      </Loaded>
      <More query={query} />
    </Section>
  );
}

function Rows({
  account,
  webhook,
  deliveries,
}: {
  account: Account;
  webhook: Webhook;
  deliveries: readonly Delivery[];
}) {
  const { rows, hold } = useSteady(deliveries);
  if (rows.length === 0)
    return <Empty title="No deliveries">The first event that fits appears here at once.</Empty>;
  return (
    <ul aria-label="Deliveries" className="card divide-y divide-line" {...hold}>
      {rows.map((delivery) => (
        <li key={delivery.id}>
          <One account={account} webhook={webhook} delivery={delivery} />
        </li>
      ))}
    </ul>
  );
}

const answerWords = ({
  http_status: status,
  error_code: code,
  duration_ms: took,
  next_attempt_at: next,
}: Delivery) =>
  [answerOf(status, code), took === null ? null : `${took} ms`, next === null ? null : 'will be tried again']
    .filter((each) => each !== null)
    .join(', ');

function One({ account, webhook, delivery }: { account: Account; webhook: Webhook; delivery: Delivery }) {
  const client = useQueryClient();
  const { busy, error, run } = useAct(async () => {
    await post(`${calls(account)}/account/v1/webhooks/${webhook.id}/deliveries/${delivery.id}/redeliver`);
    await client.invalidateQueries({ queryKey: [account.id, 'webhooks'] });
    toast('Sent again: watch the newest attempt.');
  });
  const whyNot = useWhyNot();
  const why =
    whyNot('redeliverWebhook') ??
    (webhook.status === 'disabled'
      ? 'The webhook is off.'
      : delivery.status === 'pending'
        ? 'It is about to be sent.'
        : undefined);
  return (
    <details className="group">
      <summary className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 outline-offset-[-2px] hover:bg-canvas md:px-5">
        <Icon name="right" className="text-faint transition-transform group-open:rotate-90" />
        <span className="min-w-0 flex-1 basis-[200px]">
          <code className="font-medium wrap-anywhere">{delivery.event_type}</code>
          <span className="block text-sm text-muted">{answerWords(delivery)}</span>
        </span>
        <span className="text-sm text-muted">
          attempt {delivery.attempt}
          {delivery.trigger === 'redelivery' && ', sent again'}
        </span>
        <Badge tone={toneOf(delivery.status)}>{delivery.status}</Badge>
        <span className="text-sm text-muted md:w-[110px] md:text-right">
          <Ago time={delivery.created_at} />
        </span>
      </summary>
      <div className="grid gap-3 border-t border-line bg-canvas px-4 py-4 md:px-5">
        <ProblemNotice error={error} />
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-sm text-muted">
            Message <code className="wrap-anywhere">{delivery.message_id}</code>
          </p>
          <Button small busy={busy} why={why} onClick={() => void run()}>
            Send again
          </Button>
        </div>
        {why && <p className="text-sm text-muted">{why}</p>}
        {delivery.response_excerpt && (
          <Code title="What the receiver answered" text={delivery.response_excerpt} wrap />
        )}
      </div>
    </details>
  );
}
