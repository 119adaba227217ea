import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../../data/account-types.ts';
import { Problem, send } from '../../data/http.ts';
import { calls } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { CheckField, Field, TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { RadioCard } from '../../ui/radio-card.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { SecretOnce } from './secret-once.tsx';

const usual = ['operation.*', 'vm.*', 'api_key.*', 'budget.*', 'approval.*', 'member.*'];
const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

export function WebhookForm({
  account,
  webhook,
  close,
}: {
  account: Account;
  webhook: Webhook | undefined;
  close: () => void;
}) {
  const client = useQueryClient();
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true);
  const [isAll, setAll] = useState(webhook === undefined || webhook.event_types.includes('*'));
  const [types, setTypes] = useState(
    webhook?.event_types.filter((type) => type !== '*').join('\n') || 'operation.*',
  );
  const [secret, setSecret] = useState<string | null>(null);
  const { busy, error, run } = useAct(async () => {
    const path = `/account/v1/webhooks/${encodeURIComponent(webhook?.id ?? name.trim())}`;
    const made = await send<{ readonly secret: string | null }>(`${calls(account)}${path}`, {
      method: 'PUT',
      body: {
        url: url.trim(),
        event_types: isAll ? ['*'] : linesOf(types),
        description: description.trim(),
        enabled,
        labels: webhook?.labels ?? {},
      },
    });
    await client.invalidateQueries({ queryKey: [account.id, 'webhooks'] });
    if (made.secret === null) {
      close();
      toast(`The webhook ${webhook?.name ?? name.trim()} is saved.`);
    } else setSecret(made.secret);
  });
  const fault = (member: string) => (error instanceof Problem ? error.fault(member) : undefined);
  if (secret !== null)
    return <SecretOnce name={webhook?.name ?? name.trim()} secret={secret} close={close} />;
  return (
    <Dialog
      title={webhook === undefined ? 'Add a webhook' : `Change ${webhook.name}`}
      intro={webhook === undefined ? 'It is tried at once with a test message.' : undefined}
      close={close}
      onSubmit={() => void run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy}>
            {webhook === undefined ? 'Add it' : 'Save'}
          </Button>
        </>
      }
    >
      <ProblemNotice error={error} />
      {webhook === undefined && (
        <TextField
          label="Name"
          required
          autoComplete="off"
          placeholder="deploys"
          value={name}
          fault={fault('id')}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        label="Address"
        type="url"
        required
        autoComplete="off"
        placeholder="https://hooks.example.com/hostplane"
        hint="Anything it answers with 2xx within 15 seconds counts as delivered."
        value={url}
        fault={fault('url')}
        onChange={(event) => setUrl(event.target.value)}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">Events</legend>
        <RadioCard
          name="events"
          title="All"
          note="Everything that happens in the account, also what is added later."
          checked={isAll}
          choose={() => setAll(true)}
        />
        <RadioCard
          name="events"
          title="Only these"
          note="Exact kinds, or all of a thing such as vm.*"
          checked={!isAll}
          choose={() => setAll(false)}
        />
        {!isAll && (
          <>
            <Field label="Kinds of events, one in a line" fault={fault('event_types')}>
              {(control) => (
                <textarea
                  {...control}
                  rows={4}
                  required
                  spellCheck={false}
                  className="input font-mono text-sm"
                  value={types}
                  onChange={(event) => setTypes(event.target.value)}
                />
              )}
            </Field>
            <p className="flex flex-wrap gap-1.5">
              {usual
                .filter((type) => !linesOf(types).includes(type))
                .map((type) => (
                  <Button key={type} small onClick={() => setTypes([...linesOf(types), type].join('\n'))}>
                    + {type}
                  </Button>
                ))}
            </p>
          </>
        )}
      </fieldset>
      <TextField
        label="Description"
        optional
        autoComplete="off"
        value={description}
        fault={fault('description')}
        onChange={(event) => setDescription(event.target.value)}
      />
      <CheckField
        label="Send messages"
        hint="Events that occur while it is off are not sent later."
        checked={enabled}
        onChange={(event) => setEnabled(event.target.checked)}
      />
    </Dialog>
  );
}
