import { useState } from 'react';
import { post } from '../data/http.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { isDeadLink } from './dead-link.tsx';
import { Head } from './frame.tsx';
import { MailSent } from './mail-sent.tsx';
import { tokenInFragment } from './next.ts';
import type { DoorProps } from './props.ts';

/** The token is sent by the button and not by opening the page, because mail scanners open links. */
export default function Verify({ site }: DoorProps) {
  const token = tokenInFragment();
  const confirm = useAct(async () => {
    await post('/portal/v1/verify', { token });
    location.replace('/portal');
  });
  if (token === '' || isDeadLink(confirm.error)) return <SendAnew site={site} error={confirm.error} />;
  return (
    <>
      <Head title="Confirm your address">One click, and your account is ready.</Head>
      <div className="grid gap-4">
        <ProblemNotice error={confirm.error} />
        <Button kind="primary" autoFocus busy={confirm.busy} onClick={() => void confirm.run()}>
          Confirm and sign in
        </Button>
      </div>
    </>
  );
}

function SendAnew({ site, error }: DoorProps & { error: unknown }) {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const again = useAct(async () => {
    await post('/portal/v1/verify/again', { email });
    setSent(true);
  });
  if (sent)
    return <MailSent site={site} email={email} again="/portal/v1/verify/again" what="Confirm your address" />;
  return (
    <>
      <Head title="Get a new link">A link works once and for 24 hours. We send you another one.</Head>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void again.run();
        }}
      >
        <ProblemNotice error={again.error ?? error} />
        <TextField
          label="E-mail"
          type="email"
          autoComplete="email"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Button kind="primary" type="submit" busy={again.busy}>
          Send a new link
        </Button>
      </form>
    </>
  );
}
