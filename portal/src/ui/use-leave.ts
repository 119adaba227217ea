import { type RefObject, useEffect, useRef, useState } from 'react';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const given = (control: Control): string =>
  control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type)
    ? String(control.checked)
    : control.value;

interface Leave {
  /** What a person sees who tries to leave: that the secret is kept first, or whether to discard what was typed. */
  readonly asks: 'keep' | 'discard' | null;
  /** Closes the dialog if nothing is lost by it, and asks otherwise. */
  readonly leave: () => void;
  readonly stay: () => void;
}

/**
 * How a dialog is left. One that shows a secret is closed only by its own button, and one whose fields have been
 * changed asks first. Fields are compared with what they had when they appeared, so typing and deleting is no change.
 */
export function useLeave(
  dialog: RefObject<HTMLDialogElement | null>,
  { close, secret }: { readonly close: () => void; readonly secret: boolean },
): Leave {
  const [asks, setAsks] = useState<Leave['asks']>(null);
  const first = useRef(new Map<Control, string>());
  const focused = useRef<HTMLElement>(null);
  // After every rendering, because fields appear with what is loaded or chosen.
  useEffect(() => {
    for (const control of dialog.current?.querySelectorAll<Control>('input, select, textarea') ?? [])
      if (!first.current.has(control)) first.current.set(control, given(control));
  });
  const isFilled = (): boolean =>
    [...first.current].some(([control, value]) => control.isConnected && given(control) !== value);
  // Only when the foot is there again: the focus may have been on its button.
  useEffect(() => {
    if (asks === null) focused.current?.focus();
  }, [asks]);
  const stay = (): void => setAsks(null);
  const leave = (): void => {
    if (secret) {
      setAsks('keep');
      dialog.current?.querySelector<HTMLElement>('footer .btn-primary')?.focus();
    } else if (asks === 'discard') {
      stay();
    } else if (isFilled()) {
      focused.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      setAsks('discard');
    } else {
      close();
    }
  };
  return { asks, leave, stay };
}
