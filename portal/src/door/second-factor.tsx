import { useState } from 'react';
import { post } from '../data/http.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { signInWithPasskey } from './passkey.ts';

type Method = 'totp' | 'passkey' | 'recovery_code';

export interface SecondFactorTicket {
  readonly ticket: string;
  readonly methods: readonly Method[];
}

export const codeWords = {
  totp: {
    label: 'Code',
    hint: 'The six digits that your authenticator app shows now.',
    other: 'Use my authenticator app',
  },
  recovery_code: {
    label: 'Recovery code',
    hint: 'Each of your recovery codes works once.',
    other: 'Use a recovery code',
  },
} as const;

/** The field for a code; numbers get the number keyboard of a phone. */
export function CodeField({
  method,
  value,
  onChange,
}: {
  method: 'totp' | 'recovery_code';
  value: string;
  onChange: (code: string) => void;
}) {
  return (
    <TextField
      key={method}
      label={codeWords[method].label}
      hint={codeWords[method].hint}
      name="code"
      inputMode={method === 'totp' ? 'numeric' : 'text'}
      autoComplete={method === 'totp' ? 'one-time-code' : 'off'}
      maxLength={40}
      required
      autoFocus
      spellCheck={false}
      className="font-mono tracking-wider"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

export function SecondFactor({
  ticket,
  back,
  done,
}: {
  ticket: SecondFactorTicket;
  back: () => void;
  done: () => void | Promise<void>;
}) {
  const [method, setMethod] = useState<'totp' | 'recovery_code'>(
    ticket.methods.includes('totp') ? 'totp' : 'recovery_code',
  );
  const [code, setCode] = useState('');
  const withCode = useAct(async () => {
    await post('/portal/v1/sign-in/second-factor', { ticket: ticket.ticket, method, code: code.trim() });
    await done();
  });
  const withPasskey = useAct(async () => {
    await signInWithPasskey(ticket.ticket);
    await done();
  });
  const other = method === 'totp' ? 'recovery_code' : 'totp';
  const hasCode = ticket.methods.includes(method);
  return (
    <>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void withCode.run();
        }}
      >
        <ProblemNotice error={withCode.error ?? withPasskey.error} />
        {hasCode && (
          <>
            <CodeField method={method} value={code} onChange={setCode} />
            <Button kind="primary" type="submit" busy={withCode.busy}>
              Sign in
            </Button>
          </>
        )}
      </form>
      <div className="mt-4 grid gap-2">
        {ticket.methods.includes('passkey') && (
          <Button
            kind={hasCode ? 'plain' : 'primary'}
            busy={withPasskey.busy}
            onClick={() => void withPasskey.run()}
          >
            Use a passkey
          </Button>
        )}
        {ticket.methods.includes(other) && (
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
        <Button kind="quiet" onClick={back}>
          Back
        </Button>
      </div>
    </>
  );
}
