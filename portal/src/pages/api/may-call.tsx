import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { grants } from '../../data/permissions.ts';
import { accessQuery, keysQuery } from '../../data/queries.ts';
import type { Account, ApiKey } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { nameKey } from './article.ts';

/** Whether a key of this account may call the operation: no other reference can say that. The samples name the key. */
export function MayCall({
  account,
  operation,
  article,
}: {
  account: Account;
  operation: string;
  article: Element;
}) {
  const keys = useQuery(keysQuery(account)).data?.data;
  const permission = article.querySelector('.ref-facts code')?.textContent ?? '';
  const fitting = keys?.find(
    ({ status, permissions }) =>
      status === 'active' && permissions.some((pattern) => grants(pattern, permission)),
  );
  const name = fitting?.name;
  useEffect(() => (name === undefined ? undefined : nameKey(article, name)), [article, name]);
  if (keys === undefined) return <div className="mb-4 h-[26px]" />;
  return (
    <div className="mb-4 flex min-h-[26px] flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      {fitting ? (
        <KeySays account={account} keyOf={fitting} operation={operation} />
      ) : (
        <>
          <Badge tone="plain">None of your keys may call this</Badge>
          <Link to="/api/keys" search={{ create: permission }} className="link">
            Create a key with this permission
          </Link>
        </>
      )}
    </div>
  );
}

function KeySays({ account, keyOf, operation }: { account: Account; keyOf: ApiKey; operation: string }) {
  const access = useQuery(accessQuery(account, keyOf.id)).data?.data.find(
    (each) => each.operation_id === operation,
  );
  if (access === undefined) return null;
  return access.callable ? (
    <Badge tone="good">Your key {keyOf.name} may call this</Badge>
  ) : (
    <Badge tone="warn">
      Your key {keyOf.name} may not call this{access.reason ? `: ${access.reason}` : ''}
    </Badge>
  );
}
