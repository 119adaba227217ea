import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem, post } from '../../data/http.ts';
import { keyOptionsQuery } from '../../data/queries.ts';
import { acts } from '../../data/session.ts';
import type { Account, KeyOptions, NewKey } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { RadioCard } from '../../ui/radio-card.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAct } from '../../ui/use-act.ts';
import { PermissionTree } from './permission-tree.tsx';
import { approvalWords, lifetimeWords, usablePresets } from './words.ts';

interface Props {
  readonly account: Account;
  /** `new`, `preset <name>`, or permissions separated by commas. */
  readonly wanted: string;
  readonly close: () => void;
  readonly made: (key: NewKey) => void;
}

export function CreateKey(props: Props) {
  const query = useQuery(keyOptionsQuery(props.account));
  if (query.data === undefined)
    return (
      <Dialog wide title="Create Key" close={props.close}>
        <Loaded query={query}>{() => null}</Loaded>
      </Dialog>
    );
  return <Form {...props} options={query.data} />;
}

const OWN = 'own';

function Form({ account, wanted, close, made, options }: Props & { options: KeyOptions }) {
  const client = useQueryClient();
  const asked = wanted.startsWith('preset ') ? wanted.slice('preset '.length) : null;
  const permissionsAsked = wanted.includes(':') ? wanted.split(',') : [];
  const [name, setName] = useState('');
  const [choice, setChoice] = useState(asked ?? (permissionsAsked.length > 0 ? OWN : 'read-only'));
  const [permissions, setPermissions] = useState<ReadonlySet<string>>(new Set(permissionsAsked));
  const preset = options.presets.find(({ id }) => id === choice);
  const [lifetime, setLifetime] = useState<string | null>(null);
  const [approval, setApproval] = useState<string | null>(null);
  const usual = preset?.expires_in ?? options.default_lifetime;
  const shownLifetime = lifetime ?? (options.lifetimes.includes(usual) ? usual : options.default_lifetime);
  const shownApproval = approval ?? preset?.approval ?? options.policy.default_approval;
  const create = useAct(async () => {
    const key = await post<NewKey>(`${acts(account)}/keys`, {
      name,
      expires_in: shownLifetime,
      approval: shownApproval,
      ...(choice === OWN ? { permissions: [...permissions] } : { preset: choice }),
    });
    await client.invalidateQueries({ queryKey: [account.id, 'keys'] });
    made(key);
  });
  const fault = (member: string) =>
    create.error instanceof Problem ? create.error.fault(member) : undefined;
  return (
    <Dialog
      wide
      title="Create Key"
      intro="The secret is shown once, on the next screen."
      close={close}
      onSubmit={() => void create.run()}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            busy={create.busy}
            why={choice === OWN && permissions.size === 0 ? 'Choose at least one permission.' : undefined}
          >
            Create Key
          </Button>
        </>
      }
    >
      <ProblemNotice error={create.error} />
      <div className="grid gap-5 sm:grid-cols-[minmax(0,1fr)_180px]">
        <TextField
          label="Key Name"
          hint="What will use it, for example ci-production."
          required
          autoFocus
          autoComplete="off"
          maxLength={64}
          value={name}
          fault={fault('name')}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Expires In"
          value={shownLifetime}
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
        {fault('preset') && <p className="mb-2 text-sm text-bad">{fault('preset')}</p>}
        <div className="grid gap-2 sm:grid-cols-2">
          {usablePresets(options).map((each) => (
            <RadioCard
              key={each.id}
              name="preset"
              title={each.title}
              note={each.description}
              checked={choice === each.id}
              choose={() => setChoice(each.id)}
            />
          ))}
          <RadioCard
            name="preset"
            title="Choose myself"
            note={
              permissions.size > 0
                ? count(permissions.size, 'permission')
                : 'Pick by family and resource, with search.'
            }
            checked={choice === OWN}
            choose={() => setChoice(OWN)}
          />
        </div>
      </fieldset>
      {choice === OWN && (
        <PermissionTree
          families={options.families}
          chosen={permissions}
          choose={setPermissions}
          fault={fault('permissions')}
        />
      )}
      <SelectField
        label="Approval mode"
        hint={approvalWords[shownApproval]?.[1]}
        value={shownApproval}
        fault={fault('approval')}
        onChange={(event) => setApproval(event.target.value)}
      >
        {options.approval_modes.map((mode) => (
          <option key={mode} value={mode}>
            {approvalWords[mode]?.[0] ?? mode}
          </option>
        ))}
      </SelectField>
    </Dialog>
  );
}
