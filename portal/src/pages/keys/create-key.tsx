import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { keyOptionsQuery } from '../../data/queries.ts';
import { acts } from '../../data/session.ts';
import type { Account, KeyOptions, NewKey } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';
import { KeyFields, useKeyChoice } from './key-choice.tsx';
import { NAME_TAKEN } from './words.ts';

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

function Form({ account, wanted, close, made, options }: Props & { options: KeyOptions }) {
  const client = useQueryClient();
  const asked = wanted.startsWith('preset ') ? wanted.slice('preset '.length) : null;
  const permissions = wanted.includes(':') ? wanted.split(',') : [];
  const [name, setName] = useState('');
  const choice = useKeyChoice(options, { preset: asked ?? 'read-only', permissions });
  const create = useAct(async () => {
    const key = await post<NewKey>(`${acts(account)}/keys`, { name, ...choice.body });
    await client.invalidateQueries({ queryKey: [account.id, 'keys'] });
    made(key);
  });
  const { fault, rest } = useFaults(create.error, { name, ...choice.values }, NAME_TAKEN);
  return (
    <Dialog
      wide
      title="Create Key"
      intro="The secret is shown once, on the next screen."
      close={close}
      onSubmit={() => void create.run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={create.busy} why={choice.why}>
            Create Key
          </Button>
        </>
      }
    >
      <ProblemNotice error={rest} />
      <KeyFields
        options={options}
        choice={choice}
        fault={fault}
        nameField={
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
        }
      />
    </Dialog>
  );
}
