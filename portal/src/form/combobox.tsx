import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Choice } from './choices.ts';

/** More are found by typing. */
const MOST = 60;

interface Props {
  /** From `Field`: the id and the texts about it. */
  readonly control: object;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly change: (value: string | undefined) => void;
  /** Whether a value may be typed that is none of the choices. */
  readonly free?: boolean;
  /** Each choice is added to a list: the field is empty again after it. */
  readonly adds?: boolean;
  readonly placeholder?: string | undefined;
}

const matches = (choice: Choice, typed: string): boolean => {
  const text = `${choice.text} ${choice.value}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** A field that finds one of many choices: the arrows move, Enter chooses, Esc closes. */
export function Combobox({ control, choices, value, change, free, adds, placeholder }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const found = typed === null || typed === '' ? choices : choices.filter((each) => matches(each, typed));
  const shown = found.slice(0, MOST);
  const active = shown[at];
  useEffect(() => {
    if (open && at >= 0) list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [open, at]);
  const close = (): void => {
    setOpen(false);
    setAt(-1);
  };
  const choose = (next: string | undefined): void => {
    change(next);
    setTyped(null);
    close();
  };
  const leave = (): void => {
    // What was typed for a list would be lost without a word.
    if (adds && free && typed?.trim()) change(typed.trim());
    setTyped(null);
    close();
  };
  const onKey = (event: KeyboardEvent): void => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      const by = key === 'ArrowDown' ? 1 : -1;
      if (open) setAt((at + by + shown.length) % Math.max(shown.length, 1));
      else setAt(by === 1 ? 0 : shown.length - 1);
      setOpen(true);
    } else if (key === 'Enter' && open && active) {
      event.preventDefault();
      choose(active.value);
    } else if (key === 'Enter' && adds && free && typed?.trim()) {
      event.preventDefault();
      choose(typed.trim());
    } else if (key === 'Escape' && open) {
      event.preventDefault();
      event.stopPropagation();
      setTyped(null);
      close();
    }
  };
  const isOpen = open && shown.length > 0;
  return (
    <div className="relative">
      <input
        {...control}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen && active ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        className="input"
        placeholder={placeholder}
        value={typed ?? choices.find((each) => each.value === value)?.text ?? value}
        onFocus={(event) => event.target.select()}
        onClick={() => setOpen(true)}
        onBlur={leave}
        onKeyDown={onKey}
        onChange={({ target }) => {
          setTyped(target.value);
          setOpen(true);
          setAt(target.value === '' || free ? -1 : 0);
          if (!adds && (free || target.value === '')) change(target.value.trim() || undefined);
        }}
      />
      {isOpen && (
        <div className="absolute top-full z-30 mt-1 max-h-72 w-full overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-(--lift)">
          <div ref={list} id={id} role="listbox" aria-label="Choices">
            {shown.map((each, i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus.
              <div
                key={each.value}
                id={`${id}-${i}`}
                role="option"
                tabIndex={-1}
                aria-selected={i === at}
                className={`cursor-pointer rounded-md px-2.5 py-2 text-sm wrap-anywhere ${i === at ? 'bg-accent-soft text-accent-ink' : 'hover:bg-sunken'}`}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(each.value)}
              >
                {each.text}
              </div>
            ))}
          </div>
          {found.length > shown.length && (
            <p className="px-2.5 py-2 text-sm text-muted">
              {found.length - shown.length} more: type to find them.
            </p>
          )}
        </div>
      )}
      {open && shown.length === 0 && typed && !free && (
        <p role="status" className="mt-1 text-sm text-muted">
          Nothing has these words.
        </p>
      )}
    </div>
  );
}
