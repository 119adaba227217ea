import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/code.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { QrCode } from './qr-code.tsx';
import { ShownCodes, useRecoveryCodes } from './recovery-codes.tsx';

export function AddTotp({ left, close }: { left: number; close: () => void }) {
  const client = useQueryClient();
  const [started, setStarted] = useState<{ readonly secret: string; readonly uri: string } | null>(null);
  const [code, setCode] = useState('');
  const [isOn, setOn] = useState(false);
  const [had] = useState(left);
  const codes = useRecoveryCodes();
  const start = useAct(async () => setStarted(await post('/portal/v1/me/totp/start')));
  const confirm = useAct(async () => {
    await post('/portal/v1/me/totp', { code: code.trim() });
    await client.invalidateQueries({ queryKey: ['security'] });
    await client.invalidateQueries({ queryKey: ['me'] });
    if (had > 0) {
      close();
      toast('The authenticator app is on.');
      return;
    }
    setOn(true);
    void codes.make.run();
  });
  // Asked once; the server keeps nothing until the first right code.
  const asked = useQuery({
    queryKey: ['totp-start'],
    queryFn: () => start.run().then(() => true),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    enabled: started === null,
  });
  if (isOn) return <ShownCodes made={codes} left={0} after="The authenticator app is on." close={close} />;
  return (
    <Dialog
      title="Set up an authenticator app"
      close={close}
      onSubmit={() => void confirm.run()}
      foot={
        <>
          <Cancel />
          <Button
            kind="primary"
            type="submit"
            busy={confirm.busy}
            why={started === null ? 'The secret is not there yet.' : undefined}
          >
            Switch on
          </Button>
        </>
      }
    >
      <ProblemNotice
        error={start.error ?? confirm.error}
        retry={start.error ? () => void start.run() : undefined}
      />
      {asked.isSuccess && started === null && start.error === null && !start.busy && (
        <Button className="justify-self-start" onClick={() => void start.run()}>
          Show the secret
        </Button>
      )}
      {started && (
        <>
          <div className="flex flex-wrap items-center gap-5">
            <QrCode text={started.uri} />
            <div className="min-w-0 flex-1 basis-[200px]">
              <p className="mb-2">Scan this with your app, or type the secret into it:</p>
              <p className="mb-2 rounded-md bg-sunken px-3 py-2">
                <code data-totp className="break-all">
                  {started.secret}
                </code>
              </p>
              <Copy text={started.secret} />
            </div>
          </div>
          <TextField
            label="Code"
            hint="The six digits that the app shows now."
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            autoFocus
            maxLength={10}
            className="font-mono tracking-wider"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </>
      )}
    </Dialog>
  );
}
