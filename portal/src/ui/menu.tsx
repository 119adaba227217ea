import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
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

/** A reason of most items, which is said once above them; undefined if there is none. */
function reasonOfMost(items: Props['items']): string | undefined {
  const reasons = items.flatMap((item) => (item === 'line' ? [] : [item.why]));
  return reasons.find(
    (why, at) =>
      why !== undefined &&
      reasons.indexOf(why) === at &&
      reasons.filter((each) => each === why).length > Math.max(1, reasons.length / 2),
  );
}

const choicesIn = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
];

/** In pixels: between the menu and its button, and between the menu and the edge of the window. */
const GAP = 4;
const EDGE = 8;

/** Puts the menu below its button, or above it where there is more room. */
function placeBeside(list: HTMLElement, button: HTMLElement, align: 'left' | 'right'): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const isAbove = bottom + GAP + height + EDGE > innerHeight && top > innerHeight - bottom;
  const wanted = align === 'right' ? right - width : left;
  list.style.left = `${Math.max(EDGE, Math.min(wanted, innerWidth - width - EDGE))}px`;
  list.style.top = `${Math.max(EDGE, isAbove ? top - height - GAP : Math.min(bottom + GAP, innerHeight - height - EDGE))}px`;
}

/**
 * A button that opens a list of acts: the browser's own popover, which lies above everything, and which Esc or a click
 * elsewhere closes. Arrow keys move, the focus returns to the button.
 */
export function Menu({ label, items, children, className, align = 'right', head }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const reason = reasonOfMost(items);
  useLayoutEffect(() => {
    if (!open) return;
    const place = (): void => {
      if (list.current && button.current) placeBeside(list.current, button.current, align);
    };
    place();
    choicesIn(list.current)[0]?.focus({ preventScroll: true });
    addEventListener('scroll', place, { capture: true, passive: true });
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, { capture: true });
      removeEventListener('resize', place);
    };
  }, [open, align]);
  const close = (): void => {
    list.current?.hidePopover();
    button.current?.focus();
  };
  const toggled = (isOpen: boolean): void => {
    setOpen(isOpen);
    // Some browsers give the focus to no button that is clicked, so they cannot give it back.
    if (!isOpen && document.activeElement === document.body) button.current?.focus({ preventScroll: true });
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
    // A dialog around the menu stays open. What Esc does here, the browser does by itself.
    if (event.key === 'Escape') event.stopPropagation();
    if (target === undefined && event.key !== 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (target === undefined) close();
    else all[target]?.focus();
  };
  return (
    <div>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        {...(children ? {} : { 'aria-label': label, title: label })}
        className={className ?? 'btn btn-quiet w-9 px-0'}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || open) return;
          event.preventDefault();
          list.current?.showPopover();
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
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        onToggle={({ newState }) => toggled(newState === 'open')}
        onKeyDown={onKey}
        className={`fixed inset-auto m-0 max-h-[70dvh] w-max max-w-[300px] min-w-[200px] animate-[fade_100ms] overflow-y-auto rounded-lg border border-line bg-raised p-1 text-ink shadow-(--lift) open:grid ${open ? '' : 'invisible'}`}
      >
        {open && (
          <>
            {head && <div className="border-b border-line px-3 py-2">{head}</div>}
            {reason !== undefined && (
              <p id={`${id}reason`} className="border-b border-line px-3 py-2 text-sm text-muted">
                {reason}
              </p>
            )}
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
                  aria-describedby={item.why !== undefined && item.why === reason ? `${id}reason` : undefined}
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
                    {item.why && item.why !== reason && (
                      <span className="block text-xs text-faint">{item.why}</span>
                    )}
                  </span>
                  {item.checked && <Icon name="check" className="mt-[3px] text-accent-ink" />}
                </button>
              ),
            )}
          </>
        )}
      </div>
    </div>
  );
}
