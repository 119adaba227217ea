import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem, post } from '../../data/http.ts';
import { library } from '../../door/passkey.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { deviceOf } from './device.ts';
import { ShownCodes, useRecoveryCodes } from './recovery-codes.tsx';

const ADDED = 'You can sign in with this passkey from now on.';

interface Challenge {
  readonly challenge_id: string;
  readonly options: Parameters<typeof import('@simplewebauthn/browser').startRegistration>[0]['optionsJSON'];
}

export function AddPasskey({ left, close }: { left: number; close: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(deviceOf(navigator.userAgent));
  const [isAdded, setAdded] = useState(false);
  // What was there before: making codes changes it.
  const [had] = useState(left);
  const codes = useRecoveryCodes();
  const { busy, error, run } = useAct(async () => {
    const { startRegistration } = await library();
    const { challenge_id, options } = await post<Challenge>('/portal/v1/me/passkeys/options');
    const response = await startRegistration({ optionsJSON: options }).catch(() => {
      throw new Problem(0, {
        title: 'No passkey was made',
        detail: 'The dialog of the browser was closed, or this device has a passkey for you already.',
        next_step: 'Try again, or use another device.',
      });
    });
    await post('/portal/v1/me/passkeys', { challenge_id, name, response });
    await client.invalidateQueries({ queryKey: ['security'] });
    await client.invalidateQueries({ queryKey: ['me'] });
    if (had > 0) {
      close();
      toast(ADDED);
      return;
    }
    // Whoever has no codes is locked out when the device is lost.
    setAdded(true);
    void codes.make.run();
  });
  if (isAdded) return <ShownCodes made={codes} left={0} after={ADDED} close={close} />;
  return (
    <Dialog
      title="Add a passkey"
      intro="Your browser asks for the fingerprint, face or PIN of your device next."
      close={close}
      onSubmit={() => void run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy}>
            Go on
          </Button>
        </>
      }
    >
      <ProblemNotice error={error} />
      <TextField
        label="Name"
        hint="So that you know it again in the list."
        required
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </Dialog>
  );
}
