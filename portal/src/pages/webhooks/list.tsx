import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useWhyNot } from '../../data/access.ts';
import { webhooksQuery } from '../../data/account-queries.ts';
import type { Webhook } from '../../data/account-types.ts';
import { useAccount } from '../../data/session.ts';
import { count } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Cell, Row, Table } from '../../ui/rows.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { unturned } from '../../ui/unturned.ts';
import { WebhookForm } from './webhook-form.tsx';
import { toneOf } from './words.ts';

export default function Webhooks() {
  const account = useAccount();
  const why = useWhyNot()('setWebhook');
  const query = useQuery(webhooksQuery(account));
  const { create } = useSearch({ strict: false }) as { create?: string };
  const navigate = useNavigate();
  const open = (isOpen: boolean): void =>
    void navigate({
      to: '/webhooks',
      search: (isOpen ? { create: 'new' } : {}) as Record<string, string>,
    });
  const button = (
    <Button kind="primary" why={why} onClick={() => open(true)}>
      <Icon name="plus" />
      Add a webhook
    </Button>
  );
  return (
    <>
      <PageHead title="Webhooks" act={query.data?.length === 0 ? undefined : button}>
        Events, sent to your own server by POST, signed so that it can tell them from forgeries.
      </PageHead>
      <Loaded query={query} rows={3}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty title="No webhook yet" act={button}>
              Get told when a machine is ready, an operation fails or a key is revoked.
            </Empty>
          ) : (
            <Table label="Webhooks" columns={['Name', 'Events', 'Last delivered', 'Status']}>
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </Table>
          )
        }
      </Loaded>
      {create !== undefined && why === undefined && (
        <WebhookForm account={account} webhook={undefined} close={() => open(false)} />
      )}
    </>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { event_types: types, last_success_at: delivered, pending_count: pending } = webhook;
  return (
    <Row>
      <Cell wide free quiet={unturned(webhook.url)}>
        <Link to="/webhooks/$id" params={{ id: webhook.id }} className="rounded font-medium hover:underline">
          {webhook.name}
        </Link>
      </Cell>
      <Cell label="Events">
        {types.includes('*') ? (
          'all'
        ) : types.length === 1 ? (
          <code>{types[0]}</code>
        ) : (
          count(types.length, 'kind')
        )}
      </Cell>
      <Cell label="Last delivered" quiet={pending > 0 ? `${pending} waiting` : ''}>
        {delivered === null ? <span className="text-muted">never</span> : <Ago time={delivered} />}
      </Cell>
      <Cell label="Status">
        <Badge tone={toneOf(webhook.status)}>{webhook.status}</Badge>
      </Cell>
    </Row>
  );
}
