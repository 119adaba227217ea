import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/code.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { useAct } from '../../ui/use-act.ts';

/** The codes, once they are made, and how to make them. */
export function useRecoveryCodes() {
  const client = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const make = useAct(async () => {
    const answer = await post<{ codes: readonly string[] }>('/portal/v1/me/recovery-codes');
    setCodes(answer.codes);
    await client.invalidateQueries({ queryKey: ['security'] });
  });
  return { codes, make };
}

interface Props {
  readonly made: ReturnType<typeof useRecoveryCodes>;
  readonly left: number;
  /** What has been done just before. */
  readonly after?: string;
  readonly close: () => void;
}

export function RecoveryCodes({ left, close }: { left: number; close: () => void }) {
  return <ShownCodes made={useRecoveryCodes()} left={left} close={close} />;
}

export function ShownCodes({ made: { codes, make }, left, after, close }: Props) {
  const done = codes.length > 0;
  return (
    <Dialog
      secret={done}
      title="Recovery codes"
      intro={
        done
          ? 'This is the only time they are shown. Keep them where you will find them without this device.'
          : undefined
      }
      close={close}
      onSubmit={() => (done ? close() : void make.run())}
      foot={
        done ? (
          <>
            <Copy text={codes.join('\n')} label="Copy all" className="btn btn-plain" />
            <Button kind="primary" type="submit">
              I have kept them
            </Button>
          </>
        ) : (
          <>
            <Cancel />
            <Button kind="primary" type="submit" busy={make.busy}>
              Make ten codes
            </Button>
          </>
        )
      }
    >
      {after && <Notice tone="good">{after}</Notice>}
      <ProblemNotice error={make.error} />
      {done ? (
        <ul className="grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md bg-sunken px-4 py-3">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      ) : (
        <>
          <p className="text-muted">Each of ten codes lets you in once, in place of your second factor.</p>
          {left > 0 && <Notice tone="warn">The codes that you have now stop working.</Notice>}
        </>
      )}
    </Dialog>
  );
}
