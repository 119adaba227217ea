import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../data/http.ts';
import { useMe } from '../../data/session.ts';
import { chosenTheme, setTheme, type Theme } from '../../data/site.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { RadioCard } from '../../ui/radio-card.tsx';
import { PageHead, Section } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';
import { Activity } from './activity.tsx';

const themes: readonly (readonly [Theme, string, string])[] = [
  ['system', 'System', 'Follows your device.'],
  ['light', 'Light', 'Dark words on white.'],
  ['dark', 'Dark', 'Light words on black.'],
];

export default function Profile() {
  const me = useMe();
  const client = useQueryClient();
  const [name, setName] = useState(me?.person.name ?? '');
  const [theme, showTheme] = useState(chosenTheme());
  const save = useAct(async () => {
    await send('/portal/v1/me', { method: 'PATCH', body: { name } });
    await client.invalidateQueries({ queryKey: ['me'] });
    toast('Your name is saved.');
  });
  const { fault, rest } = useFaults(save.error, { name });
  return (
    <>
      <PageHead title="Profile">What concerns you, in all your accounts.</PageHead>
      <Section title="You">
        <form
          className="card grid max-w-[560px] gap-4 p-5"
          onSubmit={(event) => {
            event.preventDefault();
            void save.run();
          }}
        >
          <ProblemNotice error={rest} />
          <TextField
            label="Name"
            autoComplete="name"
            required
            maxLength={100}
            value={name}
            fault={fault('name')}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label="E-mail"
            type="email"
            readOnly
            value={me?.person.email ?? ''}
            hint="You sign in with it."
          />
          <Button kind="primary" type="submit" className="justify-self-start" busy={save.busy}>
            Save
          </Button>
        </form>
      </Section>
      <Section title="Theme">
        <fieldset className="grid max-w-[760px] gap-3 sm:grid-cols-3">
          <legend className="sr-only">Theme</legend>
          {themes.map(([value, title, note]) => (
            <RadioCard
              key={value}
              name="theme"
              title={title}
              note={note}
              checked={theme === value}
              choose={() => {
                setTheme(value);
                showTheme(value);
                void send('/portal/v1/me', { method: 'PATCH', body: { theme: value } }).catch(() => {});
              }}
            />
          ))}
        </fieldset>
      </Section>
      <Activity />
    </>
  );
}
