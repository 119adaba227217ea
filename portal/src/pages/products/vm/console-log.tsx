import { useEffect, useRef, useState } from 'react';
import { useWhyNot } from '../../../data/access.ts';
import { get } from '../../../data/http.ts';
import { filled, nounNamed } from '../../../data/nouns.ts';
import { calls, useAccount } from '../../../data/session.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { ProblemNotice } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/states.tsx';
import { useAct } from '../../../ui/use-act.ts';

interface Log {
  readonly lines: readonly string[];
  readonly truncated: boolean;
}

const MOST = 5000;

/** What the machine printed. It may contain secrets, so it is read when somebody asks for it. */
export function ConsoleLog({ found }: { found: Found }) {
  const { families, path, row } = found;
  const account = useAccount();
  const call = nounNamed(families, 'vm_console_log')?.read;
  const why = useWhyNot()(call?.id ?? '');
  const [log, setLog] = useState<Log | null>(null);
  const read = useAct(async () => {
    setLog(await get<Log>(`${calls(account)}${filled(call?.path ?? '', path)}?lines=${MOST}`));
  });
  return (
    <Section
      title="Serial log"
      note="What the machine printed on its serial console: boot messages and the output of cloud-init."
      act={
        <div className="flex flex-wrap gap-2">
          <Button busy={read.busy} why={why} onClick={() => void read.run()}>
            {log === null ? 'Show the log' : 'Refresh'}
          </Button>
          {log !== null && <Button onClick={() => download(String(row['name']), log)}>Download</Button>}
        </div>
      }
    >
      <ProblemNotice error={read.error} />
      {log !== null && <Lines log={log} />}
    </Section>
  );
}

function Lines({ log }: { log: Log }) {
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of each new log is in sight.
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [log]);
  if (log.lines.length === 0) return <p className="text-muted">The machine has not printed anything yet.</p>;
  return (
    <>
      {log.truncated && <p className="mb-2 text-sm text-muted">Earlier lines are left out.</p>}
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label="Lines of the serial log"
        className="max-h-[60dvh] overflow-auto rounded-lg border border-line bg-sunken p-3.5 text-[13px]/5"
      >
        <pre className="wrap-anywhere whitespace-pre-wrap">{log.lines.join('\n')}</pre>
      </section>
    </>
  );
}

function download(name: string, { lines }: Log): void {
  const url = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}-console.log`;
  link.click();
  URL.revokeObjectURL(url);
}
