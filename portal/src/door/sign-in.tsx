import { useEffect, useRef, useState } from 'react';
import { post } from '../data/http.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { Head, Or } from './frame.tsx';
import { goOn, withNext } from './next.ts';
import { offerPasskeys, signInWithPasskey } from './passkey.ts';
import type { DoorProps } from './props.ts';
import { SecondFactor, type SecondFactorTicket } from './second-factor.tsx';

export type Answer =
  | { readonly status: 'signed_in' }
  | ({ readonly status: 'second_factor' } & SecondFactorTicket);

export function SignIn({ site }: DoorProps) {
  const [ticket, setTicket] = useState<SecondFactorTicket | null>(null);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const offered = useRef(false);
  useEffect(() => {
    if (offered.current) return;
    offered.current = true;
    void offerPasskeys().then((isIn) => isIn && goOn());
  }, []);
  const withPassword = useAct(async () => {
    const answer = await post<Answer>('/portal/v1/sign-in', { email, password });
    if (answer.status === 'second_factor') setTicket(answer);
    else goOn();
  });
  const withPasskey = useAct(async () => {
    await signInWithPasskey();
    goOn();
  });
  if (ticket !== null)
    return (
      <>
        <Head title="One more step">Your account is protected by a second factor.</Head>
        <SecondFactor ticket={ticket} back={() => setTicket(null)} done={goOn} />
      </>
    );
  return (
    <>
      <Head title="Sign in" />
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void withPassword.run();
        }}
      >
        <ProblemNotice error={withPassword.error} />
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username webauthn"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button kind="primary" type="submit" busy={withPassword.busy}>
          Sign in
        </Button>
      </form>
      <p className="mt-3 text-center text-sm">
        <a className="link" href={withNext('recover')}>
          Forgotten your password?
        </a>
      </p>
      <Or />
      <div className="grid gap-4">
        <ProblemNotice error={withPasskey.error} />
        <Button busy={withPasskey.busy} onClick={() => void withPasskey.run()}>
          Use a passkey
        </Button>
      </div>
      {site?.sign_up === 'open' && (
        <p className="mt-6 border-t border-line pt-5 text-center text-sm text-muted">
          No account yet?{' '}
          <a className="link" href={withNext('sign-up')}>
            Sign up
          </a>
        </p>
      )}
    </>
  );
}
