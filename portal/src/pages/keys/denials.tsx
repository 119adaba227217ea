import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Denial } from '../../data/account-types.ts';
import { denialsQuery, keyOptionsQuery } from '../../data/queries.ts';
import { isAdmin, useAccount } from '../../data/session.ts';
import type { Account, ApiKey } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { Badge, Method } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Path } from '../../ui/path.tsx';
import { Cell, Row, Table } from '../../ui/rows.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { isCured, lacking, type NewestKeys, useNewestKeys } from './cures.ts';
import { KeyTabs } from './tabs.tsx';
import { isBeyondRole, whyNotRolled } from './words.ts';

/** In milliseconds: whoever tries a call again looks here for what it got. */
const EVERY = 1000;

export default function Denials() {
  const account = useAccount();
  const query = useQuery(denialsQuery(account, EVERY));
  const newest = useNewestKeys(account, query.data?.data ?? []);
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
                  <DenialRow key={denial.id} denial={denial} account={account} newest={newest} />
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

function DenialRow({ denial, account, newest }: { denial: Denial; account: Account; newest: NewestKeys }) {
  const { key, client_ip, method, path_template, operation_id, required_permission, enforced, last_at } =
    denial;
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
        <Cure denial={denial} account={account} newest={newest} />
      </Cell>
    </Row>
  );
}

/** Its words wrap where the table has no room for them in one line. */
const SMALL = 'btn btn-plain btn-small py-1 text-left whitespace-normal';

function Cure({ denial, account, newest }: { denial: Denial; account: Account; newest: NewestKeys }) {
  if (isAddress(denial))
    return isAdmin(account) ? (
      <Link to="/api/keys/allowlist" search={{ add: denial.client_ip }} className={SMALL}>
        Add this address
      </Link>
    ) : (
      <span className="text-sm text-muted">An admin can add the address.</span>
    );
  const permission = lacking(denial);
  const key = newest(denial);
  if (permission === undefined || key === null)
    return <span className="text-sm text-muted">{denial.hint}</span>;
  return key === undefined ? null : (
    <CureByKey denial={denial} account={account} newest={key} permission={permission} />
  );
}

/** The key is the one that was refused, or the one that took over from it. */
function CureByKey(props: { denial: Denial; account: Account; newest: ApiKey; permission: string }) {
  const { denial, account, newest, permission } = props;
  const options = useQuery(keyOptionsQuery(account)).data;
  const isSame = newest.id === denial.key.id;
  if (isCured(denial, newest))
    return (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <Badge tone="good">cured</Badge>
        <Link to="/api/keys" search={{ key: newest.id }} className="link">
          {isSame ? 'The key' : 'Its successor'} has the permission now
        </Link>
      </span>
    );
  const why =
    whyNotRolled(newest, account) ??
    (options && isBeyondRole(permission, options)
      ? `Your role (${account.role}) may not give this permission. An owner or admin of the account can.`
      : undefined);
  if (why !== undefined) return <span className="text-sm text-muted">{why}</span>;
  return (
    <Link to="/api/keys" search={{ roll: newest.id, add: permission }} className={SMALL}>
      Roll {isSame ? 'the key' : 'its successor'} with this permission
    </Link>
  );
}
