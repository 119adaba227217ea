import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { grants } from '../../data/permissions.ts';
import { accessQuery, keysQuery } from '../../data/queries.ts';
import type { Account, ApiKey } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Menu } from '../../ui/menu.tsx';
import { whyNotRolled } from '../keys/words.ts';
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
  if (keys === undefined) return <div className="h-[26px]" />;
  return (
    <div className="flex min-h-[26px] flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      {fitting ? (
        <KeySays account={account} keyOf={fitting} operation={operation} />
      ) : (
        <>
          <Badge tone="plain">None of your keys may call this</Badge>
          <AddToKey keys={keys.filter((key) => whyNotRolled(key, account) === undefined)} add={permission} />
          <Link to="/api/keys" search={{ create: permission }} className="link">
            Create a key with this permission
          </Link>
        </>
      )}
    </div>
  );
}

const ADD = 'Add the permission to a key';

/** A roll gives a key one permission more, and leaves it everything else. */
function AddToKey({ keys, add }: { keys: readonly ApiKey[]; add: string }) {
  const navigate = useNavigate();
  const [only] = keys;
  if (only === undefined) return null;
  if (keys.length === 1)
    return (
      <Link to="/api/keys" search={{ roll: only.id, add }} className="link">
        Add the permission to {only.name}
      </Link>
    );
  return (
    <Menu
      label={ADD}
      className="link"
      align="left"
      items={keys.map(({ id, name }) => ({
        label: name,
        run: () => void navigate({ to: '/api/keys', search: { roll: id, add } }),
      }))}
    >
      <span aria-hidden="true">{ADD}</span>
    </Menu>
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
