import { useState } from 'react';
import { post } from '../data/http.ts';
import { formatTime } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { useFaults } from '../ui/use-faults.ts';
import { isDeadLink } from './dead-link.tsx';
import { Head } from './frame.tsx';
import { MailSent } from './mail-sent.tsx';
import { tokenInFragment, withNext } from './next.ts';
import { NewPasswordField } from './password-field.tsx';
import type { DoorProps } from './props.ts';
import { CodeField, codeWords } from './second-factor.tsx';

export default function Recover({ site }: DoorProps) {
  const token = tokenInFragment();
  return token === '' ? <Ask site={site} /> : <Complete site={site} token={token} />;
}

function Ask({ site, dead = null }: DoorProps & { dead?: unknown }) {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const { busy, error, run } = useAct(async () => {
    await post('/portal/v1/recover', { email });
    setSent(true);
  });
  const { fault, rest } = useFaults(error, { email });
  if (sent)
    return <MailSent site={site} email={email} again="/portal/v1/recover" what="Choose a new password" />;
  return (
    <>
      <Head title={dead === null ? 'Choose a new password' : 'Get a new link'}>
        We send you a link that works once, for 30 minutes.
      </Head>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <ProblemNotice error={rest ?? dead} />
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          fault={fault('email')}
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

type Code = 'totp' | 'recovery_code';

type Answer =
  | { readonly status: 'signed_in' }
  | { readonly status: 'second_factor_needed'; readonly methods: readonly (Code | 'wait')[] }
  | { readonly status: 'waiting'; readonly until: string };

function Complete({ site, token }: DoorProps & { token: string }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  /** The codes that the person can have; null until the second factor is asked for. */
  const [codes, setCodes] = useState<readonly Code[] | null>(null);
  const [method, setMethod] = useState<Code>('totp');
  const [until, setUntil] = useState<string | null>(null);
  const { busy, error, run } = useAct(async (waits: boolean) => {
    const shown = waits ? { method: 'wait' } : codes === null ? {} : { method, code: code.trim() };
    const answer = await post<Answer>('/portal/v1/recover/complete', { token, password, ...shown });
    if (answer.status === 'signed_in') location.replace('/portal');
    else if (answer.status === 'waiting') setUntil(answer.until);
    else {
      const known = answer.methods.filter((each) => each !== 'wait');
      setCodes(known);
      setMethod(known[0] ?? 'totp');
    }
  });
  const { fault, rest } = useFaults(error, { password });
  if (isDeadLink(error)) return <Ask site={site} dead={error} />;
  if (until !== null)
    return (
      <Head title="Come back tomorrow">
        Open the link in the mail again after{' '}
        <strong className="font-medium text-ink">{formatTime(until)}</strong>, and choose your new password
        then. Nothing has changed yet. We sent you a mail about it; signing in before then stops it.
      </Head>
    );
  const hasCode = codes !== null && codes.length > 0;
  const other = codes?.find((each) => each !== method);
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
        <ProblemNotice error={rest} />
        <NewPasswordField
          label="New password"
          autoFocus
          value={password}
          fault={fault('password')}
          onChange={setPassword}
        />
        {hasCode && <CodeField method={method} value={code} onChange={setCode} />}
        {codes !== null && !hasCode && (
          <Notice>
            You sign in with a passkey, which needs no password:{' '}
            <a className="link" href="/portal/sign-in">
              sign in with it
            </a>{' '}
            if you still have it.
          </Notice>
        )}
        {(codes === null || hasCode) && (
          <Button kind="primary" type="submit" busy={busy}>
            Set the password and sign in
          </Button>
        )}
      </form>
      <div className="mt-4 grid gap-2">
        {other && (
          <Button
            kind="quiet"
            onClick={() => {
              setMethod(other);
              setCode('');
            }}
          >
            {codeWords[other].other}
          </Button>
        )}
        {codes !== null && (
          <>
            <Button kind={hasCode ? 'quiet' : 'plain'} busy={busy} onClick={() => void run(true)}>
              I have lost my second factor
            </Button>
            <p className="text-center text-sm text-muted">
              Then the link works without it, but only after 24 hours.
            </p>
          </>
        )}
        <p className="text-center text-sm">
          <a className="link" href="/portal/recover">
            Send a new link
          </a>
        </p>
      </div>
    </>
  );
}
