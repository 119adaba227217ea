import { Link } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { Icon } from './icons.tsx';

interface Message {
  readonly id: number;
  readonly text: string;
  readonly more?: More | undefined;
}

/** A page that says more, of something that went wrong. */
interface More {
  readonly to: string;
  readonly label: string;
}

let messages: readonly Message[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
const tell = (next: readonly Message[]): void => {
  messages = next;
  for (const listener of listeners) listener();
};

/**
 * Says that something was done. It goes away by itself, so nothing important stands only here. With `more` it says what
 * went wrong, and stays.
 */
export function toast(text: string, more?: More): void {
  lastId++;
  tell([...messages.slice(-2), { id: lastId, text, more }]);
}

const dismiss = (id: number): void => tell(messages.filter((message) => message.id !== id));

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => messages,
  );
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 grid justify-items-center gap-2 md:justify-items-end"
    >
      {shown.map((message) => (
        <Toast key={message.id} message={message} />
      ))}
    </div>
  );
}

function Toast({ message }: { message: Message }) {
  const { text, more } = message;
  useEffect(() => {
    if (more !== undefined) return;
    const timer = setTimeout(() => dismiss(message.id), 6000);
    return () => clearTimeout(timer);
  }, [message.id, more]);
  return (
    <div className="pointer-events-auto flex max-w-[420px] animate-[rise_150ms] items-center gap-2.5 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-3.5 shadow-(--lift)">
      {more === undefined ? (
        <Icon name="check" className="text-good" />
      ) : (
        <Icon name="warn" className="text-bad" />
      )}
      <span className="min-w-0 flex-1 py-1 wrap-anywhere">
        {text}
        {more && (
          <Link to={more.to} className="link block" onClick={() => dismiss(message.id)}>
            {more.label}
          </Link>
        )}
      </span>
      <button
        type="button"
        className="btn btn-quiet btn-small w-8 px-0"
        aria-label="Dismiss"
        onClick={() => dismiss(message.id)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
