import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Icon, type IconName } from './icons.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  /** Why it cannot be chosen now. */
  readonly why?: string | undefined;
  readonly checked?: boolean;
  readonly run: () => void;
}

interface Props {
  readonly label: string;
  readonly items: readonly (MenuItem | 'line')[];
  readonly children?: ReactNode;
  readonly className?: string;
  readonly align?: 'left' | 'right';
  readonly head?: ReactNode;
}

const choicesIn = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
];

/** A button that opens a list of acts. Arrow keys move, Esc closes, the focus returns to the button. */
export function Menu({ label, items, children, className, align = 'right', head }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [above, setAbove] = useState(false);
  useEffect(() => {
    if (!open) return;
    const place = button.current?.getBoundingClientRect();
    const height = list.current?.offsetHeight ?? 0;
    setAbove(place !== undefined && place.bottom + height + 12 > innerHeight && place.top > height + 12);
    choicesIn(list.current)[0]?.focus();
    const leave = (event: PointerEvent): void => {
      if (!(event.target instanceof Node)) return;
      if (!list.current?.contains(event.target) && !button.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [open]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    const all = choicesIn(list.current);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const targets = new Map([
      ['ArrowDown', (at + 1) % all.length],
      ['ArrowUp', (at - 1 + all.length) % all.length],
      ['Home', 0],
      ['End', all.length - 1],
    ]);
    const target = targets.get(event.key);
    if (target === undefined && event.key !== 'Escape' && event.key !== 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (target === undefined) close();
    else all[target]?.focus();
  };
  return (
    <div className="relative">
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        {...(children ? {} : { 'aria-label': label, title: label })}
        className={className ?? 'btn btn-quiet w-9 px-0'}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || open) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children ? (
          <>
            {children}
            <span className="sr-only">{label}</span>
          </>
        ) : (
          <Icon name="more" className="stroke-[2.4]" />
        )}
      </button>
      {open && (
        <div
          ref={list}
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={label}
          onKeyDown={onKey}
          className={`absolute z-40 grid max-h-[70dvh] w-max max-w-[300px] min-w-[200px] animate-[fade_100ms] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-(--lift) ${align === 'right' ? 'right-0' : 'left-0'} ${above ? 'bottom-full mb-1' : 'top-full mt-1'}`}
        >
          {head && <div className="border-b border-line px-3 py-2">{head}</div>}
          {items.map((item, index) =>
            item === 'line' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name.
              <hr key={index} className="my-1 border-line" />
            ) : (
              <button
                key={item.label}
                type="button"
                role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
                {...(item.checked === undefined ? {} : { 'aria-checked': item.checked })}
                aria-disabled={item.why !== undefined || undefined}
                tabIndex={-1}
                className={`flex min-h-9 items-start gap-2.5 rounded-md px-3 py-[7px] text-left max-md:min-h-11 max-md:py-[11px] ${item.danger ? 'text-bad hover:bg-bad-soft focus:bg-bad-soft' : 'hover:bg-sunken focus:bg-sunken'} outline-offset-[-2px]`}
                onClick={() => {
                  if (item.why !== undefined) return;
                  close();
                  item.run();
                }}
              >
                {item.icon && <Icon name={item.icon} className="mt-[3px] opacity-80" />}
                <span className="min-w-0 flex-1">
                  <span className={item.why === undefined ? '' : 'text-faint'}>{item.label}</span>
                  {item.why && <span className="block text-xs text-faint">{item.why}</span>}
                </span>
                {item.checked && <Icon name="check" className="mt-[3px] text-accent-ink" />}
              </button>
            ),
          )}
        </div>
      )}
    </div>
  );
}
