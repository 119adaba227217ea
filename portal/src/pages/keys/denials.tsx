import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Denial } from '../../data/account-types.ts';
import { denialsQuery } from '../../data/queries.ts';
import { isAdmin, useAccount } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { Badge, Method } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Path } from '../../ui/path.tsx';
import { Cell, Row, Table } from '../../ui/rows.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { KeyTabs } from './tabs.tsx';

export default function Denials() {
  const account = useAccount();
  const query = useQuery(denialsQuery(account));
  return (
    <>
      <PageHead title="Recent API key denials">
        Calls of the last 30 days that were refused because of a permission or an address, with what cures
        each of them.
      </PageHead>
      <KeyTabs />
      <Loaded query={query}>
        {({ data, dropped }) => (
          <>
            {dropped > 0 && (
              <div className="mb-4">
                <Notice tone="warn">
                  {count(dropped, 'denial')} more were not recorded, because there were too many.
                </Notice>
              </div>
            )}
            {data.length === 0 ? (
              <Empty title="No denials in 30 days">Every call of your keys was allowed.</Empty>
            ) : (
              <Table label="Denials" columns={['Cause', 'Key', 'Call', 'When', 'Cure']}>
                {data.map((denial) => (
                  <DenialRow key={denial.id} denial={denial} account={account} />
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

const isAddress = ({ cause }: Denial): boolean => cause === 'ip_restriction';

function DenialRow({ denial, account }: { denial: Denial; account: Account }) {
  const {
    key,
    client_ip,
    method,
    path_template,
    operation_id,
    required_permission,
    enforced,
    last_at,
    hint,
  } = denial;
  return (
    <Row>
      <Cell
        wide
        free
        quiet={
          isAddress(denial) ? (
            <code>{client_ip}</code>
          ) : (
            required_permission && <code className="break-all">{required_permission}</code>
          )
        }
      >
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium">
            {isAddress(denial) ? 'Address not on the list' : 'Permission missing'}
          </span>
          {!enforced && (
            <Badge tone="plain" dot={false}>
              only reported
            </Badge>
          )}
        </span>
      </Cell>
      <Cell free label="Key" quiet={isAddress(denial) ? undefined : <>from {client_ip}</>}>
        <Link to="/api/keys" search={{ key: key.id }} className="font-medium hover:underline">
          {key.name}
        </Link>
      </Cell>
      <Cell
        free
        label="Call"
        quiet={
          <span className="flex items-baseline">
            <Method>{method}</Method>
            <Path>{path_template}</Path>
          </span>
        }
      >
        <Link to="/api/reference/$operation" params={{ operation: operation_id }} className="hover:underline">
          <code>{operation_id}</code>
        </Link>
      </Cell>
      <Cell label="When" quiet={denial.count > 1 ? `${denial.count} times` : undefined}>
        <span className="whitespace-nowrap">
          <Ago time={last_at} />
        </span>
      </Cell>
      <Cell wide>
        <Cure denial={denial} account={account} hint={hint} />
      </Cell>
    </Row>
  );
}

function Cure({ denial, account, hint }: { denial: Denial; account: Account; hint: string }) {
  // Its words wrap where the table has no room for them in one line.
  const small = 'btn btn-plain btn-small py-1 text-left whitespace-normal';
  if (isAddress(denial))
    return isAdmin(account) ? (
      <Link to="/api/keys/allowlist" search={{ add: denial.client_ip }} className={small}>
        Add this address
      </Link>
    ) : (
      <span className="text-sm text-muted">An admin can add the address.</span>
    );
  const isKeyToBlame = denial.denied_by?.includes('key') ?? false;
  if (denial.code === 'permission_denied' && isKeyToBlame && denial.required_permission)
    return (
      <Link
        to="/api/keys"
        search={{ roll: denial.key.id, add: denial.required_permission }}
        className={small}
      >
        Roll the key with this permission
      </Link>
    );
  return <span className="text-sm text-muted">{hint}</span>;
}
