import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { returnFocus } from './focus.ts';
import { Icon } from './icons.tsx';

/** Where the typing begins: the first field, or else the main button. */
const FIRST =
  'input:not([type=radio], [type=checkbox]), select, textarea, [type=submit], footer .btn-primary';

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
  readonly close: () => void;
  /** Buttons at the bottom. In a form, the one with `type="submit"` sends it. */
  readonly foot?: ReactNode;
  readonly onSubmit?: () => void;
  readonly wide?: boolean;
}

/**
 * The browser's own dialog: it keeps the focus inside, closes with Esc and gives the focus back. On phones it is a sheet
 * at the bottom edge.
 */
export function Dialog({ title, intro, children, close, foot, onSubmit, wide }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    if (current && !current.open) current.showModal();
    current?.querySelector<HTMLElement>(FIRST)?.focus();
    return () => {
      current?.close();
      returnFocus(before);
    };
  }, []);
  const Body = onSubmit ? 'form' : 'div';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    onSubmit?.();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className={`m-auto max-h-none w-full max-w-none bg-transparent p-0 text-left max-md:mt-auto max-md:mb-0 max-md:animate-[rise_150ms] md:animate-[fade_120ms] ${wide ? 'md:max-w-[760px]' : 'md:max-w-[520px]'}`}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <Body
        {...(onSubmit ? { onSubmit: submit } : {})}
        className="flex max-h-[92dvh] flex-col overflow-hidden border border-line bg-raised shadow-(--lift) max-md:rounded-t-2xl md:max-h-[86dvh] md:rounded-lg"
      >
        <header className="flex items-start gap-4 border-b border-line py-4 pr-3 pl-5 md:pl-6">
          <div className="min-w-0 flex-1">
            <h2 id={id} className="text-lg">
              {title}
            </h2>
            {intro && <div className="text-sm text-muted">{intro}</div>}
          </div>
          <button
            type="button"
            className="btn btn-quiet -my-1.5 w-9 px-0 max-md:-my-2.5"
            aria-label="Close"
            onClick={close}
          >
            <Icon name="close" />
          </button>
        </header>
        {/* What scrolls is not the grid itself: a grid without room shrinks its parts to nothing. */}
        <div className="min-h-0 flex-1 overflow-y-auto px-5 py-5 md:px-6" tabIndex={-1}>
          <div className="grid gap-5">{children}</div>
        </div>
        {foot && (
          <footer className="flex flex-wrap justify-end gap-2 border-t border-line bg-sunken px-5 py-3 md:px-6">
            {foot}
          </footer>
        )}
      </Body>
    </dialog>
  );
}

/** A question with two answers. `typed` must be typed before the act: for what cannot be undone. */
export function Confirm({
  title,
  children,
  act,
  busy,
  close,
  danger,
  ready = true,
}: {
  title: string;
  children: ReactNode;
  act: { readonly label: string; readonly run: () => void };
  busy: boolean;
  close: () => void;
  danger?: boolean;
  ready?: boolean;
}) {
  return (
    <Dialog
      title={title}
      close={close}
      onSubmit={() => ready && act.run()}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            type="submit"
            kind={danger ? 'danger' : 'primary'}
            busy={busy}
            why={ready ? undefined : 'Fill in the field above first.'}
          >
            {act.label}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
