import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from './icons.tsx';
import { unturned } from './unturned.ts';

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function Copy({
  text,
  label = 'Copy',
  className = 'btn btn-quiet btn-small',
}: {
  text: string;
  label?: string;
  className?: string;
}) {
  const [done, setDone] = useState<boolean | null>(null);
  const timer = useRef<number>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <button
      type="button"
      data-copy
      className={className}
      onClick={() => {
        void copyText(text).then((worked) => {
          setDone(worked);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => setDone(null), 2000);
        });
      }}
    >
      <Icon name={done ? 'check' : 'copy'} />
      <span aria-live="polite">{done === null ? label : done ? 'Copied' : 'Press Ctrl C'}</span>
    </button>
  );
}

const PARTS =
  /("(?:[^"\\]|\\.)*")(\s*:)?|((?<=^|\s)(?:#|\/\/).*$)|\b(true|false|null)\b|(?<![\w./-])(-?\d+(?:\.\d+)?)(?![\w./-])/gm;

/** Strings, names and numbers in colours of their own. */
export function paintCode(written: string): ReactNode[] {
  const text = unturned(written);
  const parts: ReactNode[] = [];
  let last = 0;
  for (const match of text.matchAll(PARTS)) {
    const [whole, string, colon, comment, word, number] = match;
    parts.push(text.slice(last, match.index));
    const tone = comment
      ? 'text-faint'
      : colon
        ? 'text-accent-ink'
        : string
          ? 'text-good'
          : word || number
            ? 'text-warn'
            : '';
    parts.push(
      <Fragment key={match.index}>
        <span className={tone}>{string ?? whole}</span>
        {colon}
      </Fragment>,
    );
    last = match.index + whole.length;
  }
  parts.push(text.slice(last));
  return parts;
}

/** Code with a title line and a button that copies it. */
export function Code({
  title,
  text,
  tall,
  wrap,
  children,
}: {
  title: ReactNode;
  text: string;
  tall?: boolean;
  wrap?: boolean;
  children?: ReactNode;
}) {
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface">
      <figcaption className="flex min-h-10 items-center justify-between gap-2 border-b border-line py-1 pr-1.5 pl-3.5 text-sm text-muted">
        <span className="min-w-0 truncate">{title}</span>
        <span className="flex shrink-0 items-center gap-1">
          {children}
          <Copy text={text} />
        </span>
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className={`overflow-auto px-3.5 py-3 text-[13px]/5 ${wrap ? 'whitespace-pre-wrap [overflow-wrap:anywhere]' : ''} ${tall ? 'max-h-[70dvh]' : 'max-h-[420px]'}`}
      >
        <code>{paintCode(text)}</code>
      </pre>
    </figure>
  );
}
