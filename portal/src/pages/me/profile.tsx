import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { get, Problem, send } from '../../data/http.ts';
import { useMe } from '../../data/session.ts';
import { chosenTheme, setTheme, type Theme } from '../../data/site.ts';
import type { List } from '../../data/types.ts';
import { spoken } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { RadioCard } from '../../ui/radio-card.tsx';
import { Empty, Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

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
          <ProblemNotice error={save.error} />
          <TextField
            label="Name"
            autoComplete="name"
            required
            maxLength={100}
            value={name}
            fault={save.error instanceof Problem ? save.error.fault('name') : undefined}
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

interface Happening {
  readonly id: string;
  readonly type: string;
  readonly last_at: string;
  readonly count: number;
  readonly client_ip: string | null;
}

function Activity() {
  const query = useQuery({
    queryKey: ['activity'],
    queryFn: ({ signal }) => get<List<Happening>>('/portal/v1/me/activity', signal),
  });
  return (
    <Section title="Your log" note="Sign-ins, refused tries and changes of how you sign in.">
      <Loaded query={query} rows={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nothing yet" />
          ) : (
            <ul className="card divide-y divide-line">
              {data.map((happening) => (
                <li key={happening.id} className="flex flex-wrap items-baseline gap-x-4 px-4 py-2.5 md:px-5">
                  <span className="min-w-0 flex-1">
                    {spoken(happening.type.replaceAll('.', ' '))}
                    {happening.count > 1 && <span className="text-muted">, {happening.count} times</span>}
                  </span>
                  <code className="text-sm text-muted">{happening.client_ip}</code>
                  <span className="text-sm text-muted">
                    <Ago time={happening.last_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
