import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { profileQuery } from '../../data/account-queries.ts';
import type { Budget, Threshold } from '../../data/account-types.ts';
import { Problem, send } from '../../data/http.ts';
import { membersQuery } from '../../data/queries.ts';
import { calls, useMe } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { spoken } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { RadioCard } from '../../ui/radio-card.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { Thresholds } from './thresholds.tsx';

type Blocking = 'notify' | 'spent' | 'forecast';

const choices: readonly (readonly [Blocking, string, string])[] = [
  ['notify', 'Warn', 'Mails and events at each threshold; everything goes on.'],
  ['spent', 'Refuse once it is spent', 'Then calls that add cost are refused until the month ends.'],
  [
    'forecast',
    'Refuse what does not fit',
    'Also calls whose monthly price does not fit beside all that runs.',
  ],
];

const blockingOf = (budget: Budget | undefined): Blocking =>
  budget === undefined || budget.action === 'notify' ? 'notify' : budget.blocks;

const usual: readonly Threshold[] = [
  { percent: 80, basis: 'actual' },
  { percent: 100, basis: 'forecast' },
];

export function BudgetForm({
  account,
  budget,
  close,
}: {
  account: Account;
  budget: Budget | undefined;
  close: () => void;
}) {
  const client = useQueryClient();
  const me = useMe();
  const profile = useQuery(profileQuery(account)).data;
  const members = useQuery(membersQuery(account)).data?.data ?? [];
  const [name, setName] = useState(budget?.name ?? '');
  const [description, setDescription] = useState(budget?.description ?? '');
  const [amount, setAmount] = useState(budget?.amount ?? '');
  const [families, setFamilies] = useState<readonly string[]>(budget?.scope.families ?? []);
  const [labels, setLabels] = useState(budget?.scope.label_selector ?? '');
  const [thresholds, setThresholds] = useState(budget?.thresholds ?? usual);
  const [blocking, setBlocking] = useState(blockingOf(budget));
  const [emails, setEmails] = useState<readonly string[]>(budget?.emails ?? (me ? [me.person.email] : []));
  const { busy, error, run } = useAct(async () => {
    const body = {
      amount: amount.trim(),
      description: description.trim(),
      scope: {
        families: families.length === 0 ? null : families,
        label_selector: labels.trim() === '' ? null : labels.trim(),
        api_key_ids: budget?.scope.api_key_ids ?? null,
      },
      thresholds,
      emails,
      ...(blocking === 'notify' ? { action: 'notify' } : { action: 'block_new_cost', blocks: blocking }),
    };
    const path = `/account/v1/budgets/${encodeURIComponent(budget?.id ?? name.trim())}`;
    await send(`${calls(account)}${path}`, { method: 'PUT', body });
    await client.invalidateQueries({ queryKey: [account.id, 'budgets'] });
    close();
    toast(`The budget ${budget?.name ?? name.trim()} is set.`);
  });
  const fault = (member: string) => (error instanceof Problem ? error.fault(member) : undefined);
  const products = (profile?.products ?? []).filter(({ family, enabled }) => enabled && family !== 'account');
  const addresses = [
    ...new Set([
      ...members.filter(({ status }) => status === 'active').map(({ email }) => email),
      ...Object.values(profile?.contacts ?? {}).flat(),
      ...emails,
    ]),
  ];
  const toggle = (list: readonly string[], value: string): readonly string[] =>
    list.includes(value) ? list.filter((each) => each !== value) : [...list, value];
  return (
    <Dialog
      wide
      title={budget === undefined ? 'Create a budget' : `Change ${budget.name}`}
      intro="It counts from the first day of each month, in UTC."
      close={close}
      onSubmit={() => void run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy}>
            {budget === undefined ? 'Create it' : 'Save'}
          </Button>
        </>
      }
    >
      <ProblemNotice error={error} />
      {budget?.locked && (
        <Notice tone="info">It is locked: it can be tightened. To loosen it, unlock it first.</Notice>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        {budget === undefined && (
          <TextField
            label="Name"
            required
            autoComplete="off"
            placeholder="all"
            value={name}
            fault={fault('id')}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        <TextField
          label={`Amount a month${profile === undefined ? '' : `, in ${profile.currency}`}`}
          required
          inputMode="decimal"
          autoComplete="off"
          placeholder="250"
          value={amount}
          fault={fault('amount')}
          onChange={(event) => setAmount(event.target.value)}
        />
        <TextField
          label="Description"
          optional
          autoComplete="off"
          value={description}
          fault={fault('description')}
          onChange={(event) => setDescription(event.target.value)}
        />
      </div>
      <Thresholds thresholds={thresholds} change={setThresholds} fault={fault('thresholds')} />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">When it is reached</legend>
        {choices.map(([value, title, note]) => (
          <RadioCard
            key={value}
            name="blocking"
            title={title}
            note={note}
            checked={blocking === value}
            choose={() => setBlocking(value)}
          />
        ))}
      </fieldset>
      <details open={families.length > 0 || labels !== ''}>
        <summary className="w-fit rounded py-1 font-medium">Which costs count</summary>
        <div className="mt-3 grid gap-5">
          <fieldset>
            <legend className="mb-2 text-sm text-muted">Products: none chosen means all.</legend>
            <div className="grid gap-2 sm:grid-cols-2">
              {products.map(({ family }) => (
                <CheckField
                  key={family}
                  label={spoken(family)}
                  checked={families.includes(family)}
                  onChange={() => setFamilies(toggle(families, family))}
                />
              ))}
            </div>
          </fieldset>
          <TextField
            label="Labels"
            optional
            hint="Only resources with these labels, such as env=prod or team=agents."
            autoComplete="off"
            spellCheck={false}
            value={labels}
            fault={fault('scope')}
            onChange={(event) => setLabels(event.target.value)}
          />
        </div>
      </details>
      <fieldset>
        <legend className="mb-2 text-sm font-medium">Who gets a mail</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {addresses.map((address) => (
            <CheckField
              key={address}
              label={<span className="wrap-anywhere">{address}</span>}
              checked={emails.includes(address)}
              onChange={() => setEmails(toggle(emails, address))}
            />
          ))}
        </div>
        {fault('emails') && <p className="mt-1.5 text-sm text-bad">{fault('emails')}</p>}
      </fieldset>
    </Dialog>
  );
}
