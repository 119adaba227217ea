import { type ReactNode, useId } from 'react';

/** Several controls that are one member: its label, its hint, and what is wrong with it as a whole. */
export function Box({
  label,
  hint,
  fault,
  optional = false,
  frame = false,
  children,
}: {
  label: string;
  hint?: string;
  fault?: string | undefined;
  optional?: boolean;
  frame?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const described = [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <fieldset
      aria-describedby={described || undefined}
      className={`min-w-0 ${frame ? 'rounded-md border border-line px-3.5 pb-3.5' : ''}`}
    >
      <legend className={`text-sm font-medium wrap-anywhere ${frame ? 'px-1' : 'mb-1.5 w-full'}`}>
        <span className="flex items-baseline justify-between gap-3">
          {label}
          {optional && <span className="shrink-0 font-normal text-faint">Optional</span>}
        </span>
      </legend>
      <div className={`grid grid-cols-1 ${frame ? 'gap-4 pt-1' : 'gap-2'}`}>
        {fault && (
          <p id={`${id}-fault`} className="text-sm text-bad wrap-anywhere">
            {fault}
          </p>
        )}
        {hint && frame && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
        {children}
        {hint && !frame && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </fieldset>
  );
}
