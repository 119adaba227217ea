import { useState } from 'react';
import { Problem, post } from '../data/http.ts';
import { formatTime } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { Head } from './frame.tsx';
import { MailSent } from './mail-sent.tsx';
import type { DoorProps } from './main.tsx';
import { tokenInFragment, withNext } from './next.ts';
import { NewPasswordField } from './password-field.tsx';
import { CodeField, type Method } from './second-factor.tsx';

export default function Recover({ site }: DoorProps) {
  const token = tokenInFragment();
  return token === '' ? <Ask site={site} /> : <Complete token={token} />;
}

function Ask({ site }: DoorProps) {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const { busy, error, run } = useAct(async () => {
    await post('/portal/v1/recover', { email });
    setSent(true);
  });
  if (sent)
    return <MailSent site={site} email={email} again="/portal/v1/recover" what="Choose a new password" />;
  return (
    <>
      <Head title="Choose a new password">We send you a link that works for 30 minutes.</Head>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <ProblemNotice error={error} />
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Button kind="primary" type="submit" busy={busy}>
          Send the link
        </Button>
        <p className="text-center text-sm">
          <a className="link" href={withNext('sign-in')}>
            Back to sign in
          </a>
        </p>
      </form>
    </>
  );
}

type Answer =
  | { readonly status: 'signed_in' }
  | { readonly status: 'second_factor_needed'; readonly methods: readonly Method[] }
  | { readonly status: 'waiting'; readonly until: string };

function Complete({ token }: { token: string }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [methods, setMethods] = useState<readonly Method[]>([]);
  const [until, setUntil] = useState<string | null>(null);
  const method = methods.includes('totp') ? 'totp' : 'recovery_code';
  const { busy, error, run } = useAct(async (waits: boolean) => {
    const withCode = methods.length > 0 && !waits && code !== '' ? { method, code: code.trim() } : {};
    const answer = await post<Answer>('/portal/v1/recover/complete', { token, password, ...withCode });
    if (answer.status === 'signed_in') location.replace('/portal');
    else if (answer.status === 'waiting') setUntil(answer.until);
    else setMethods(answer.methods);
  });
  if (until !== null)
    return (
      <Head title="Please wait">
        Without your second factor, the new password works from {formatTime(until)} on. Until then, the owner
        of the address can stop this. We sent a mail about it.
      </Head>
    );
  return (
    <>
      <Head title="Choose a new password">All your sessions end, on every device.</Head>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void run(false);
        }}
      >
        <ProblemNotice error={error} />
        <NewPasswordField
          label="New password"
          autoFocus
          value={password}
          fault={error instanceof Problem ? error.fault('password') : undefined}
          onChange={setPassword}
        />
        {methods.length > 0 && <CodeField method={method} value={code} onChange={setCode} />}
        <Button kind="primary" type="submit" busy={busy}>
          Set the password and sign in
        </Button>
        <p className="text-center text-sm">
          <a className="link" href="/portal/recover">
            Send a new link
          </a>
        </p>
      </form>
    </>
  );
}
