import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, useId, useRef } from 'react';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly small?: boolean;
  /** Shows that the work is being done; a second press has no effect. */
  readonly busy?: boolean;
  /** Why the button cannot be used. It stays focusable, and a press shows the reason: on a phone nothing hovers. */
  readonly why?: string | undefined;
  readonly children: ReactNode;
}

const GAP = 6;
const MARGIN = 8;

/** Below the button; above it, if the screen ends there. */
function place(tip: HTMLElement, button: Element): void {
  const { left, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tip;
  const isAbove = bottom + GAP + height > innerHeight - MARGIN;
  tip.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))}px`;
  tip.style.top = `${isAbove ? top - GAP - height : bottom + GAP}px`;
}

export function Button({
  kind = 'plain',
  small,
  busy,
  why,
  children,
  onClick,
  className = '',
  ...rest
}: Props) {
  const id = useId();
  const tip = useRef<HTMLSpanElement>(null);
  const off = busy || why !== undefined;
  const refuse = (event: MouseEvent<HTMLButtonElement>): void => {
    event.preventDefault();
    if (tip.current === null) return;
    tip.current.showPopover();
    place(tip.current, event.currentTarget);
  };
  return (
    <>
      <button
        type="button"
        {...rest}
        aria-disabled={off || undefined}
        aria-describedby={why === undefined ? rest['aria-describedby'] : id}
        title={why ?? rest.title}
        className={`btn btn-${kind} ${small ? 'btn-small' : ''} ${className}`}
        onClick={off ? refuse : onClick}
      >
        {busy && <Spinner />}
        {children}
      </button>
      {why !== undefined && (
        <span
          ref={tip}
          id={id}
          popover="auto"
          role="tooltip"
          className="fixed inset-auto m-0 max-w-[280px] rounded-md border border-line bg-raised px-3 py-2 text-left text-sm font-normal whitespace-normal text-ink shadow-(--lift)"
        >
          {why}
        </span>
      )}
    </>
  );
}

export const Spinner = () => (
  <span
    aria-hidden="true"
    className="size-3.5 shrink-0 animate-[turn_700ms_linear_infinite] rounded-full border-2 border-current border-r-transparent"
  />
);
