import { useEffect, useState } from 'react';
import { post } from '../data/http.ts';
import type { Me } from '../data/types.ts';
import { signInWithPasskey } from '../door/passkey.ts';
import { SecondFactor, type SecondFactorTicket } from '../door/second-factor.tsx';
import type { Answer } from '../door/sign-in.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { leave } from './leave.ts';

interface Props {
  readonly person: Me['person'];
  readonly why: string;
  readonly done: () => Promise<void>;
}

export default function SignInAgain({ person, why, done }: Props) {
  const { email, has_password: hasPassword, has_passkey: hasPasskey } = person;
  const [ticket, setTicket] = useState<SecondFactorTicket | null>(null);
  const [password, setPassword] = useState('');
  // The person may have signed in again in another tab.
  useEffect(() => {
    const look = (): void => void done().catch(() => {});
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [done]);
  const withPassword = useAct(async () => {
    const answer = await post<Answer>('/portal/v1/sign-in', { email, password });
    if (answer.status === 'second_factor') setTicket(answer);
    else await done();
  });
  const withPasskey = useAct(async () => {
    await signInWithPasskey();
    await done();
  });
  const other = (
    <Button kind="quiet" onClick={leave}>
      Sign in as somebody else
    </Button>
  );
  const intro = `${why} What you typed is kept.`;
  if (ticket !== null)
    return (
      <Dialog fixed title="Sign in again" intro={intro} close={() => {}} foot={other}>
        <SecondFactor ticket={ticket} back={() => setTicket(null)} done={done} />
      </Dialog>
    );
  return (
    <Dialog
      fixed
      title="Sign in again"
      intro={intro}
      close={() => {}}
      onSubmit={() => void (hasPassword ? withPassword : withPasskey).run()}
      foot={
        <>
          {other}
          {hasPassword && hasPasskey && (
            <Button busy={withPasskey.busy} onClick={() => void withPasskey.run()}>
              Use a passkey
            </Button>
          )}
          <Button kind="primary" type="submit" busy={hasPassword ? withPassword.busy : withPasskey.busy}>
            {hasPassword ? 'Sign in' : 'Use your passkey'}
          </Button>
        </>
      }
    >
      <ProblemNotice error={withPassword.error ?? withPasskey.error} />
      <TextField label="E-mail" type="email" autoComplete="username" readOnly value={email} />
      {hasPassword && (
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
    </Dialog>
  );
}
