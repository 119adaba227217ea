import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { acts } from '../../data/session.ts';
import type { Account, ApiKey, KeyOptions } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';
import { KeyFields, useKeyChoice } from '../keys/key-choice.tsx';
import { NAME_TAKEN } from '../keys/words.ts';
import { addressBack, freeName, type Question } from './question.ts';

/** A person works with the command line, so the key may at first do what the person may, but not for long. */
const SUGGESTED = { preset: 'full-access', lifetime: '30d' };

interface Props {
  readonly question: Question;
  readonly account: Account;
  readonly options: KeyOptions;
  readonly keys: readonly ApiKey[];
  readonly allowed: (code: string) => void;
}

export function AllowForm({ question, account, options, keys, allowed }: Props) {
  const { challenge, computer, back } = question;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(() => freeName(computer, new Set(keys.map((key) => key.name))));
  const choice = useKeyChoice(options, SUGGESTED);
  const allow = useAct(async () => {
    const { code } = await post<{ code: string }>(`${acts(account)}/cli-logins`, {
      challenge,
      computer,
      name,
      ...choice.body,
    });
    await client.invalidateQueries({ queryKey: [account.id, 'keys'] });
    allowed(code);
  });
  const refuse = (): void => {
    if (back === null) void navigate({ to: '/' });
    else location.assign(addressBack(back, { error: 'refused' }));
  };
  const { fault, rest } = useFaults(allow.error, { name, ...choice.values }, NAME_TAKEN);
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        void allow.run();
      }}
    >
      <ProblemNotice error={rest} />
      <KeyFields
        options={options}
        choice={choice}
        fault={fault}
        nameField={
          <TextField
            label="Key Name"
            hint="Under this name you find and revoke it later."
            required
            autoComplete="off"
            maxLength={64}
            value={name}
            fault={fault('name')}
            onChange={(event) => setName(event.target.value)}
          />
        }
      />
      <div className="flex flex-wrap gap-3">
        <Button onClick={refuse}>Refuse</Button>
        <Button kind="primary" type="submit" busy={allow.busy} why={choice.why}>
          Allow the login
        </Button>
      </div>
    </form>
  );
}
