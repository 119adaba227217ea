import { useState } from 'react';
import { post } from '../data/http.ts';
import { useMe } from '../data/session.ts';
import { library, refused } from '../door/passkey.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';

interface Challenge {
  readonly challenge_id: string;
  readonly options: Parameters<
    typeof import('@simplewebauthn/browser').startAuthentication
  >[0]['optionsJSON'];
}

async function answerWithPasskey(): Promise<void> {
  const { startAuthentication } = await library();
  const { challenge_id, options } = await post<Challenge>('/portal/v1/reauthenticate/passkey/options');
  const response = await startAuthentication({ optionsJSON: options }).catch(refused);
  await post('/portal/v1/reauthenticate/passkey', { challenge_id, response });
}

export default function ReauthDialog({ end }: { end: (done: boolean) => void }) {
  const [password, setPassword] = useState('');
  const { has_password: hasPassword = true, has_passkey: hasPasskey } = useMe()?.person ?? {};
  const withPassword = useAct(async () => {
    await post('/portal/v1/reauthenticate', { password });
    end(true);
  });
  const withPasskey = useAct(async () => {
    await answerWithPasskey();
    end(true);
  });
  return (
    <Dialog
      title="Is it still you?"
      intro="This is asked once in ten minutes, before acts that matter. What you typed is kept."
      close={() => end(false)}
      onSubmit={() => void (hasPassword ? withPassword : withPasskey).run()}
      foot={
        hasPassword ? (
          <>
            {hasPasskey && (
              <Button busy={withPasskey.busy} onClick={() => void withPasskey.run()}>
                Use a passkey
              </Button>
            )}
            <Button kind="primary" type="submit" busy={withPassword.busy}>
              Go on
            </Button>
          </>
        ) : (
          <Button kind="primary" type="submit" busy={withPasskey.busy}>
            Use your passkey
          </Button>
        )
      }
    >
      <ProblemNotice error={withPassword.error ?? withPasskey.error} />
      {hasPassword ? (
        <TextField
          label="Your password"
          type="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      ) : (
        <p className="text-muted">Your browser asks for the fingerprint, face or PIN of your device next.</p>
      )}
    </Dialog>
  );
}
