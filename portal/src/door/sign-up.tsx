import { useState } from 'react';
import { post } from '../data/http.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { useFaults } from '../ui/use-faults.ts';
import { countries, guessCountry } from './countries.ts';
import { Head } from './frame.tsx';
import { MailSent } from './mail-sent.tsx';
import { withNext } from './next.ts';
import { NewPasswordField } from './password-field.tsx';
import type { DoorProps } from './props.ts';

const closed = {
  invited: 'New accounts are made by invitation. Ask your contact for an invitation by e-mail.',
  closed: 'No new accounts are made here at the moment.',
} as const;

export default function SignUp({ site }: DoorProps) {
  const [form, setForm] = useState({
    name: '',
    email: '',
    password: '',
    account_name: '',
    country: guessCountry(),
    terms_accepted: false,
  });
  const [sent, setSent] = useState(false);
  const { busy, error, run } = useAct(async () => {
    await post('/portal/v1/sign-up', form);
    setSent(true);
  });
  const { fault, rest } = useFaults(error, form);
  const set = (change: Partial<typeof form>): void => setForm({ ...form, ...change });
  if (sent)
    return (
      <MailSent site={site} email={form.email} again="/portal/v1/verify/again" what="Confirm your address" />
    );
  const policy = site?.sign_up ?? 'open';
  return (
    <>
      <Head title="Sign up" />
      {policy === 'open' ? (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <ProblemNotice error={rest} />
          <TextField
            label="Your name"
            name="name"
            autoComplete="name"
            required
            autoFocus
            maxLength={100}
            value={form.name}
            fault={fault('name')}
            onChange={(event) => set({ name: event.target.value })}
          />
          <TextField
            label="E-mail"
            type="email"
            name="email"
            autoComplete="email"
            required
            value={form.email}
            fault={fault('email')}
            onChange={(event) => set({ email: event.target.value })}
          />
          <NewPasswordField
            value={form.password}
            fault={fault('password')}
            onChange={(password) => set({ password })}
          />
          <TextField
            label="Account name"
            name="organization"
            autoComplete="organization"
            hint="Your company or project."
            required
            maxLength={100}
            value={form.account_name}
            fault={fault('account_name')}
            onChange={(event) => set({ account_name: event.target.value })}
          />
          <SelectField
            label="Country"
            name="country"
            autoComplete="country"
            value={form.country}
            fault={fault('country')}
            onChange={(event) => set({ country: event.target.value })}
          >
            {countries().map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </SelectField>
          <CheckField
            label={<Terms site={site} />}
            required
            checked={form.terms_accepted}
            fault={fault('terms_accepted')}
            onChange={(event) => set({ terms_accepted: event.target.checked })}
          />
          <Button kind="primary" type="submit" busy={busy}>
            Create account
          </Button>
        </form>
      ) : (
        <Notice>{closed[policy]}</Notice>
      )}
      <p className="mt-6 border-t border-line pt-5 text-center text-sm text-muted">
        You have an account?{' '}
        <a className="link" href={withNext('sign-in')}>
          Sign in
        </a>
      </p>
    </>
  );
}

function Terms({ site }: DoorProps) {
  const { terms_url, privacy_url } = site?.provider ?? {};
  return (
    <span className="font-normal">
      I accept the{' '}
      {terms_url ? (
        <a className="link" href={terms_url}>
          terms
        </a>
      ) : (
        'terms'
      )}
      {privacy_url && (
        <>
          {' '}
          and have read the{' '}
          <a className="link" href={privacy_url}>
            privacy notice
          </a>
        </>
      )}
      .
    </span>
  );
}
