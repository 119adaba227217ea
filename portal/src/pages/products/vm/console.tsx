import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { perform } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { Notice, ProblemNotice } from '../../../ui/notice.tsx';
import { useAct } from '../../../ui/use-act.ts';
import { ConsoleLog } from './console-log.tsx';
import type { ConsoleSession, OpenTerminal } from './terminal.ts';

type State = 'closed' | 'connecting' | 'open' | 'ended';

/** Serial: a terminal shows it. The screen of a machine would need another viewer. */
const WANTED = { type: 'serial' };

export default function Console({ found }: { found: Found }) {
  const { noun, path, row, acts } = found;
  const account = useAccount();
  const call = noun.actions.find(({ id }) => id === 'createVmConsoleSession');
  const why = acts.find((act) => act.call.id === call?.id)?.why;
  const [session, setSession] = useState<ConsoleSession | null>(null);
  const [state, setState] = useState<State>('closed');
  const [reason, setReason] = useState('');
  const open = useAct(async () => {
    if (call === undefined) return;
    const answer = await perform(account, { call, path, body: WANTED });
    setReason('');
    setState('connecting');
    setSession(answer as unknown as ConsoleSession);
  });
  const close = (): void => {
    setSession(null);
    setState('closed');
  };
  return (
    <div className="grid grid-cols-1 gap-8">
      <section aria-labelledby="console-title" className="grid grid-cols-1 gap-3">
        <div>
          <h2 id="console-title" className="text-lg">
            Serial console
          </h2>
          <p className="max-w-[68ch] text-sm text-muted">
            A terminal on the machine itself. It works without a network, and ends when you leave this tab.
            Opening it is written into the audit log.
          </p>
        </div>
        <ProblemNotice error={open.error} />
        {session === null ? (
          <div className="grid justify-items-center gap-3 rounded-lg border border-line bg-sunken px-6 py-14 text-center">
            <Button kind="primary" busy={open.busy} why={why} onClick={() => void open.run()}>
              Open console
            </Button>
            {why !== undefined && <p className="text-sm text-muted">{why}</p>}
          </div>
        ) : (
          <Screen
            key={session.token}
            name={String(row['name'])}
            session={session}
            state={state}
            reason={reason}
            opened={() => setState('open')}
            ended={(words) => {
              setReason(words);
              setState('ended');
            }}
            close={close}
            again={() => void open.run()}
            busy={open.busy}
          />
        )}
      </section>
      <ConsoleLog found={found} />
    </div>
  );
}

const words: Readonly<Record<State, string>> = {
  closed: 'Closed',
  connecting: 'Connecting…',
  open: 'Connected',
  ended: 'Ended',
};

interface ScreenProps {
  readonly name: string;
  readonly session: ConsoleSession;
  readonly state: State;
  readonly reason: string;
  readonly opened: () => void;
  readonly ended: (words: string) => void;
  readonly close: () => void;
  readonly again: () => void;
  readonly busy: boolean;
}

function Screen(props: ScreenProps) {
  const { name, session, state, reason, close, again, busy } = props;
  const frame = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const terminal = useRef<OpenTerminal>(null);
  const leave = useRef<HTMLButtonElement>(null);
  const [note, setNote] = useState('');
  const help = useId();
  const told = useRef(props);
  told.current = props;
  useEffect(() => {
    let isGone = false;
    void import('./terminal.ts').then(({ openTerminal }) => {
      if (isGone || box.current === null) return;
      terminal.current = openTerminal(box.current, session, {
        label: `Console of ${name}`,
        describedBy: help,
        opened: () => told.current.opened(),
        ended: (text) => told.current.ended(text),
        leave: () => leave.current?.focus(),
      });
    });
    return () => {
      isGone = true;
      terminal.current?.close();
      terminal.current = null;
    };
  }, [session, name, help]);
  const copy = useCallback(async () => {
    const text = terminal.current?.marked() ?? '';
    if (text === '') return setNote('Mark something first, with the mouse.');
    await navigator.clipboard.writeText(text).then(
      () => setNote('Copied.'),
      () => setNote('The browser does not allow it. Press Ctrl C.'),
    );
    terminal.current?.focus();
  }, []);
  const paste = useCallback(async () => {
    const text = await navigator.clipboard.readText().catch(() => null);
    if (text === null) setNote('The browser does not allow it. Press Ctrl V in the console.');
    else terminal.current?.paste(text);
    terminal.current?.focus();
  }, []);
  const fill = (): void => {
    void (document.fullscreenElement ? document.exitFullscreen() : frame.current?.requestFullscreen());
    terminal.current?.focus();
  };
  return (
    <section
      ref={frame}
      aria-label={`Console of ${name}`}
      className="flex flex-col overflow-hidden rounded-lg border border-line bg-surface"
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <p role="status" className="mr-auto min-w-0 text-sm font-medium">
          {words[state]}
          {note !== '' && <span className="font-normal text-muted"> · {note}</span>}
        </p>
        <Button small onClick={() => void copy()}>
          Copy
        </Button>
        <Button small onClick={() => void paste()}>
          Paste
        </Button>
        {document.fullscreenEnabled && (
          <Button small onClick={fill}>
            Full screen
          </Button>
        )}
        <button ref={leave} type="button" className="btn btn-plain btn-small" onClick={close}>
          Close console
        </button>
      </div>
      {state === 'ended' && (
        <div className="flex flex-wrap items-center gap-3 border-b border-line px-3 py-2">
          <div className="min-w-0 flex-1">
            <Notice tone="warn">{reason}</Notice>
          </div>
          <Button kind="primary" small busy={busy} onClick={again}>
            Connect again
          </Button>
        </div>
      )}
      <div
        ref={box}
        className="h-[60dvh] min-h-[240px] overflow-clip bg-[#0e1116] p-2 font-mono in-[:fullscreen]:h-auto in-[:fullscreen]:flex-1"
      />
      <p id={help} className="border-t border-line px-3 py-2 text-xs text-muted">
        All keys go to the machine, Tab too. <kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>↑</kbd> leaves the
        terminal. <kbd>Ctrl</kbd> <kbd>C</kbd> copies what is marked, <kbd>Ctrl</kbd> <kbd>V</kbd> pastes.
      </p>
    </section>
  );
}
