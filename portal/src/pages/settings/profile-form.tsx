import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AccountProfile, Contacts } from '../../data/account-types.ts';
import { Problem, send } from '../../data/http.ts';
import { ADMINS_ONLY, acts, isAdmin } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { Leaving } from '../../ui/leaving.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Section } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

const topics: readonly (readonly [keyof Contacts, string, string])[] = [
  ['technical', 'Technical', 'Maintenance and trouble.'],
  ['security', 'Security', 'Incidents, and keys that were found in public.'],
  ['abuse', 'Abuse', 'Complaints about what your machines do.'],
];

const linesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);

export function ProfileForm({ account, profile }: { account: Account; profile: AccountProfile }) {
  const client = useQueryClient();
  const [name, setName] = useState(profile.name);
  const [timezone, setTimezone] = useState(profile.timezone);
  const [written, setWritten] = useState({
    technical: profile.contacts.technical.join('\n'),
    abuse: profile.contacts.abuse.join('\n'),
    security: profile.contacts.security.join('\n'),
  });
  const typed = JSON.stringify([name, timezone, written]);
  const [saved, setSaved] = useState(typed);
  const { busy, error, run } = useAct(async () => {
    const contacts = {
      technical: linesOf(written.technical),
      abuse: linesOf(written.abuse),
      security: linesOf(written.security),
    };
    await send(`${acts(account)}/profile`, {
      method: 'PATCH',
      body: { name: name.trim(), timezone: timezone.trim(), contacts },
    });
    setSaved(typed);
    await Promise.all([
      client.invalidateQueries({ queryKey: [account.id, 'profile'] }),
      client.invalidateQueries({ queryKey: ['me'] }),
    ]);
    toast('Saved.');
  });
  const fault = (member: string) => (error instanceof Problem ? error.fault(member) : undefined);
  const why = isAdmin(account) ? undefined : ADMINS_ONLY;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (why === undefined) void run();
  };
  return (
    <Section title="Profile and contacts">
      <Leaving
        title="Leave without saving?"
        text="Your changes are only on this page. They are lost when you leave it."
        isEdited={() => typed !== saved}
        wholePage
      />
      <form className="card grid gap-5 p-5" onSubmit={submit}>
        <ProblemNotice error={error} />
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField
            label="Name of the account"
            required
            readOnly={why !== undefined}
            autoComplete="organization"
            maxLength={100}
            value={name}
            fault={fault('name')}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label="Time zone"
            required
            readOnly={why !== undefined}
            list="time-zones"
            autoComplete="off"
            spellCheck={false}
            hint="For mails. The API uses UTC."
            value={timezone}
            fault={fault('timezone')}
            onChange={(event) => setTimezone(event.target.value)}
          />
          <datalist id="time-zones">
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </div>
        <div className="grid gap-5 md:grid-cols-3">
          {topics.map(([topic, title, note]) => (
            <Field
              key={topic}
              label={`${title} contacts`}
              hint={`${note} One address in a line.`}
              fault={fault(`contacts/${topic}`)}
            >
              {(control) => (
                <textarea
                  {...control}
                  rows={3}
                  readOnly={why !== undefined}
                  autoComplete="off"
                  spellCheck={false}
                  className="input"
                  value={written[topic]}
                  onChange={(event) => setWritten({ ...written, [topic]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Button kind="primary" type="submit" busy={busy} why={why}>
            Save
          </Button>
          {why && <span className="text-sm text-muted">{why}</span>}
        </div>
      </form>
    </Section>
  );
}
