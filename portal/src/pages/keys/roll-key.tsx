import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { grants } from '../../data/permissions.ts';
import { keyOptionsQuery, keyQuery } from '../../data/queries.ts';
import { acts } from '../../data/session.ts';
import type { Account, ApiKey, KeyOptions, NewKey } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { RadioCard } from '../../ui/radio-card.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';
import { PermissionTree } from './permission-tree.tsx';
import { isBeyondRole, lifetimeWords, sameWords, whyNotRolled } from './words.ts';

interface Props {
  readonly account: Account;
  readonly id: string;
  /** A permission that the new key has besides those of the old one. */
  readonly add: string | undefined;
  readonly close: () => void;
  readonly made: (key: NewKey) => void;
}

const overlaps: readonly (readonly [string, string])[] = [
  ['0', 'At once'],
  ['1h', 'In 1 hour'],
  ['24h', 'In 24 hours'],
  ['7d', 'In 7 days'],
];

export function RollKey(props: Props) {
  const key = useQuery(keyQuery(props.account, props.id));
  const options = useQuery(keyOptionsQuery(props.account));
  const why = key.data && whyNotRolled(key.data, props.account);
  const successor = key.data?.replaced_by;
  if (key.data === undefined || options.data === undefined || why !== undefined)
    return (
      <Dialog
        wide
        title={key.data === undefined ? 'Roll a key' : `Roll ${key.data.name}`}
        close={props.close}
      >
        {why === undefined ? (
          <Loaded query={key}>{() => <Loaded query={options}>{() => null}</Loaded>}</Loaded>
        ) : (
          <Notice tone="warn">
            <p>{why}</p>
            {successor && (
              <Link
                to="/api/keys"
                search={{ roll: successor, ...(props.add === undefined ? {} : { add: props.add }) }}
                className="btn btn-plain btn-small mt-2"
              >
                Roll its successor
              </Link>
            )}
          </Notice>
        )}
      </Dialog>
    );
  return <Form {...props} keyOf={key.data} options={options.data} />;
}

function Form({ account, add, close, made, keyOf, options }: Props & { keyOf: ApiKey; options: KeyOptions }) {
  const client = useQueryClient();
  const isRefused = add !== undefined && isBeyondRole(add, options);
  const isAdded =
    add !== undefined && !isRefused && !keyOf.permissions.some((pattern) => grants(pattern, add));
  const [permissions, setPermissions] = useState<ReadonlySet<string>>(
    new Set([...keyOf.permissions, ...(isAdded ? [add] : [])]),
  );
  const [changes, setChanges] = useState(isAdded);
  const [overlap, setOverlap] = useState('24h');
  const same = options.lifetimes.find((each) => each === keyOf.expires_in);
  const [lifetime, setLifetime] = useState<string>(same ?? options.default_lifetime);
  const { busy, error, run } = useAct(async () => {
    const key = await post<NewKey>(`${acts(account)}/keys/${keyOf.id}/roll`, {
      overlap,
      expires_in: lifetime,
      ...(changes ? { permissions: [...permissions] } : {}),
    });
    await client.invalidateQueries({ queryKey: [account.id, 'keys'] });
    made(key);
  });
  const { fault, rest } = useFaults(error, { expires_in: lifetime, permissions });
  const why = changes && permissions.size === 0 ? 'Choose at least one permission.' : undefined;
  return (
    <Dialog
      wide
      title={`Roll ${keyOf.name}`}
      intro="A new key with the same name takes over. The old one goes on for a while, so that nothing breaks."
      close={close}
      onSubmit={() => why === undefined && void run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy} why={why}>
            Roll
          </Button>
        </>
      }
    >
      <ProblemNotice error={rest} />
      {isRefused && (
        <Notice tone="warn">
          Your role does not allow <code className="break-all">{add}</code>. An owner or admin of the account
          can make a key that may, or change your role.
        </Notice>
      )}
      {isAdded && (
        <Notice>
          The new key may do what the old one may, and <code className="break-all">{add}</code>.
        </Notice>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <SelectField
          label="The old key ends"
          value={overlap}
          onChange={(event) => setOverlap(event.target.value)}
        >
          {overlaps.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="The new key expires in"
          hint={same ? undefined : 'The policy of the account no longer allows the lifetime of the old key.'}
          value={lifetime}
          fault={fault('expires_in')}
          onChange={(event) => setLifetime(event.target.value)}
        >
          {options.lifetimes.map((each) => (
            <option key={each} value={each}>
              {lifetimeWords[each] ?? each}
            </option>
          ))}
        </SelectField>
      </div>
      <fieldset className="min-w-0">
        <legend className="mb-2 text-sm font-medium">Permissions</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          <RadioCard
            name="permissions"
            title="The same"
            note={sameWords(keyOf)}
            checked={!changes}
            choose={() => setChanges(false)}
          />
          <RadioCard
            name="permissions"
            title="Other permissions"
            note={changes ? `${permissions.size} chosen` : 'Begin with those of the old key.'}
            checked={changes}
            choose={() => setChanges(true)}
          />
        </div>
      </fieldset>
      {changes && (
        <PermissionTree
          families={options.families}
          chosen={permissions}
          choose={setPermissions}
          fault={fault('permissions')}
        />
      )}
    </Dialog>
  );
}
