import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { returnFocus } from './focus.ts';
import { Icon } from './icons.tsx';
import { useLeave } from './use-leave.ts';

/** A text that has to be read before anything is typed: it is not scrolled away, and screen readers begin with it. */
const TEXT = '[data-read-first]';
/** Where the typing begins: the first field, or else the main button. */
const FIRST =
  'input:not([type=radio], [type=checkbox], [readonly]), select, textarea, [type=submit], footer .btn-primary';

const Leaving = createContext<() => void>(() => {});

/** For the foot of a dialog: leaves it as Esc does. */
export const Cancel = ({ children = 'Cancel' }: { children?: ReactNode }) => (
  <Button onClick={useContext(Leaving)}>{children}</Button>
);

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
  readonly close: () => void;
  /** Buttons at the bottom. In a form, the one with `type="submit"` sends it. */
  readonly foot?: ReactNode;
  readonly onSubmit?: () => void;
  readonly wide?: boolean;
  /** Shows something that is never shown again, so that only the main button of its foot closes it. */
  readonly secret?: boolean;
  /** Cannot be left: there is nothing behind it until its question is answered. */
  readonly fixed?: boolean;
}

/**
 * The browser's own dialog: it keeps the focus inside, closes with Esc and gives the focus back. On phones it is a sheet
 * at the bottom edge. Nothing typed and no secret is lost by Esc or by a click beside it: see `useLeave`.
 */
export function Dialog({
  title,
  intro,
  children,
  close,
  foot,
  onSubmit,
  wide,
  secret = false,
  fixed = false,
}: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    if (current && !current.open) current.showModal();
    (current?.querySelector<HTMLElement>(TEXT) ?? current?.querySelector<HTMLElement>(FIRST))?.focus();
    return () => {
      current?.close();
      returnFocus(before);
    };
  }, []);
  // Not on the button that closes it: a second press of Enter would be the end of the secret.
  useEffect(() => {
    if (secret) dialog.current?.querySelector<HTMLElement>('[data-copy]')?.focus();
  }, [secret]);
  const leaving = useLeave(dialog, { close, secret });
  const { asks, stay } = leaving;
  const leave = fixed ? () => {} : leaving.leave;
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
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        leave();
      }}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      // The browser may close it without asking, for example when a phone's gesture for "back" is made twice.
      onClose={() => {
        if (dialog.current?.open) return;
        dialog.current?.showModal();
        leave();
      }}
      onMouseDown={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        leave();
      }}
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
          {!secret && !fixed && (
            <button
              type="button"
              className="btn btn-quiet -my-1.5 w-9 px-0 max-md:-my-2.5"
              aria-label="Close"
              onClick={leave}
            >
              <Icon name="close" />
            </button>
          )}
        </header>
        {/* What scrolls is not the grid itself: a grid without room shrinks its parts to nothing. */}
        <div className="min-h-0 flex-1 overflow-y-auto px-5 py-5 md:px-6" tabIndex={foot ? -1 : 0}>
          <div className="grid grid-cols-1 gap-5">{children}</div>
        </div>
        {asks === 'discard' && <Discard discard={close} stay={stay} />}
        {foot && (
          <footer className={`${FOOT} ${asks === 'discard' ? 'hidden' : ''}`}>
            {asks === 'keep' && (
              <p role="alert" className="flex-1 basis-[200px] self-center text-sm font-medium text-warn">
                Save it first: it is never shown again.
              </p>
            )}
            <Leaving value={leave}>{foot}</Leaving>
          </footer>
        )}
      </Body>
    </dialog>
  );
}

const FOOT = 'flex flex-wrap justify-end gap-2 border-t border-line bg-sunken px-5 py-3 md:px-6';

/** In place of the foot, so that what would be lost stays in sight. */
function Discard({ discard, stay }: { discard: () => void; stay: () => void }) {
  const id = useId();
  return (
    <div role="alertdialog" aria-labelledby={id} className={FOOT}>
      <p id={id} className="flex-1 basis-[200px] self-center font-medium">
        Discard what you typed?
      </p>
      <Button autoFocus onClick={stay}>
        Keep editing
      </Button>
      <Button kind="danger" onClick={discard}>
        Discard
      </Button>
    </div>
  );
}

/** A question with two answers. `typed` must be typed before the act: for what cannot be undone. */
export function Confirm({
  title,
  children,
  act,
  busy,
  close,
  cancel,
  danger,
  ready = true,
}: {
  title: string;
  children: ReactNode;
  act: { readonly label: string; readonly run: () => void };
  busy: boolean;
  close: () => void;
  cancel?: string;
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
          <Cancel>{cancel}</Cancel>
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
