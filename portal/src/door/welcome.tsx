import { useState } from 'react';
import { post } from '../data/http.ts';
import { Button } from '../ui/button.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { useFaults } from '../ui/use-faults.ts';
import { DeadLink, isDeadLink } from './dead-link.tsx';
import { Head, Or } from './frame.tsx';
import { tokenInFragment } from './next.ts';
import { NewPasswordField } from './password-field.tsx';

/** Where the link of the first start leads: the demo owner chooses how to sign in from now on. */
export default function Welcome() {
  const token = tokenInFragment();
  const [password, setPassword] = useState('');
  const withPassword = useAct(async () => {
    await post('/portal/v1/welcome', { token, password });
    location.replace('/portal');
  });
  const withPasskey = useAct(async () => {
    await post('/portal/v1/welcome', { token });
    location.replace('/portal/me/security?add=passkey');
  });
  const { fault, rest } = useFaults(withPassword.error, { password });
  if (isDeadLink(withPassword.error) || isDeadLink(withPasskey.error))
    return <DeadLink title="Welcome">Whoever gave it to you can make another one on the server.</DeadLink>;
  return (
    <>
      <Head title="Welcome">Choose how you sign in from now on.</Head>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void withPassword.run();
        }}
      >
        <ProblemNotice error={rest ?? withPasskey.error} />
        <NewPasswordField value={password} autoFocus fault={fault('password')} onChange={setPassword} />
        <Button kind="primary" type="submit" busy={withPassword.busy}>
          Set the password and go on
        </Button>
      </form>
      <Or />
      <div className="grid">
        <Button busy={withPasskey.busy} onClick={() => void withPasskey.run()}>
          Go on with a passkey
        </Button>
      </div>
    </>
  );
}
