import type { ButtonHTMLAttributes, ReactNode } from 'react';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly small?: boolean;
  /** Shows that the work is being done; a second press has no effect. */
  readonly busy?: boolean;
  /** Why the button cannot be used. It stays focusable, so that everybody can read the reason. */
  readonly why?: string | undefined;
  readonly children: ReactNode;
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
  const off = busy || why !== undefined;
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={off || undefined}
      title={why ?? rest.title}
      className={`btn btn-${kind} ${small ? 'btn-small' : ''} ${className}`}
      onClick={off ? (event) => event.preventDefault() : onClick}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

export const Spinner = () => (
  <span
    aria-hidden="true"
    className="size-3.5 shrink-0 animate-[turn_700ms_linear_infinite] rounded-full border-2 border-current border-r-transparent"
  />
);
