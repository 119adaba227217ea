import type { ReactNode } from 'react';
import type { Tone } from './tone.ts';

const tones: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-accent-soft text-accent-ink',
  plain: 'bg-sunken text-muted',
};

/** A state: a dot and a word, so that colour is never alone. */
export function Badge({ tone, children, dot = true }: { tone: Tone; children: ReactNode; dot?: boolean }) {
  return (
    <span
      className={`inline-flex w-fit max-w-full items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium ${tones[tone]}`}
    >
      {dot && <span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-current" />}
      <span className="truncate first-letter:uppercase">{children}</span>
    </span>
  );
}

const methodTones: Readonly<Record<string, string>> = {
  GET: 'text-good',
  POST: 'text-accent-ink',
  PUT: 'text-accent-ink',
  PATCH: 'text-warn',
  DELETE: 'text-bad',
};

export const Method = ({ children }: { children: string }) => (
  <span
    className={`inline-block w-[52px] shrink-0 font-mono text-xs font-semibold ${methodTones[children] ?? ''}`}
  >
    {children}
  </span>
);
