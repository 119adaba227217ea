import { useAccount } from '../../data/session.ts';
import type { ApiKey, KeyOptions } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Acts, Cell, Row, Table } from '../../ui/rows.tsx';
import { Ago, useNow } from '../../ui/time.tsx';
import { KeyMenu } from './key-menu.tsx';
import { grantWords, isEnding, permissionWords, statusTone } from './words.ts';

interface Props {
  readonly keys: readonly ApiKey[];
  readonly options: KeyOptions | undefined;
  readonly open: (search: Record<string, string>) => void;
}

export function KeyTable({ keys, options, open }: Props) {
  const account = useAccount();
  return (
    <Table label="API keys" columns={['Name', 'Owner', 'Permissions', 'Last used', 'Status', 'Acts']}>
      {keys.map((key) => (
        <Row key={key.id}>
          <Cell wide free quiet={<code className="text-xs whitespace-nowrap">hpk1_{key.public_id}…</code>}>
            <button
              type="button"
              className="rounded text-left font-medium hover:underline max-lg:pr-12"
              onClick={() => open({ key: key.id })}
            >
              {key.name}
            </button>
          </Cell>
          <Cell free label="Owner">
            {key.owner.name}
            {key.owner.member_id === account.member_id && <span className="text-muted"> (you)</span>}
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
          <Cell label="Status" quiet={<End of={key} />}>
            <Badge tone={statusTone(key.status)}>{key.status}</Badge>
          </Cell>
          <Acts>
            <KeyMenu keyOf={key} open={open} />
          </Acts>
        </Row>
      ))}
    </Table>
  );
}

/** When and why the key ends. */
function End({ of: key }: { of: ApiKey }) {
  const now = useNow();
  const { status, expires_at, revoked, replaced_by, exposed_at } = key;
  if (status === 'revoked') return revoked && <Ago time={revoked.at} />;
  const end =
    expires_at === null ? (
      'never ends'
    ) : (
      <>
        {status === 'expired' ? 'ended' : 'ends'} <Ago time={expires_at} />
      </>
    );
  return (
    <>
      <span className={isEnding(key, now) ? 'font-medium text-warn' : ''}>{end}</span>
      {replaced_by !== null && <span className="block">replaced by a new key</span>}
      {exposed_at !== null && <span className="block text-bad">found in public</span>}
    </>
  );
}
