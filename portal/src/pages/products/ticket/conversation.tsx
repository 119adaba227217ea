import { Link } from '@tanstack/react-router';
import type { TicketMessage } from '../../../../../src/families/support/messages/schema.ts';
import { addressOf } from '../../../data/nouns.ts';
import { formatBytes } from '../../../data/sizes.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Ago } from '../../../ui/time.tsx';
import { unturned } from '../../../ui/unturned.ts';

/** Blocks of code stand apart, everything else is shown as it was written. */
function Body({ text }: { text: string }) {
  return text.split(/^(?:```|~~~).*\n?/m).map((part, i) => {
    const shown = unturned(part.replace(/\n+$/, ''));
    if (shown.trim() === '') return null;
    return i % 2 === 1 ? (
      <pre
        // biome-ignore lint/suspicious/noArrayIndexKey: a message never changes.
        key={i}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="my-2 overflow-x-auto rounded bg-sunken p-3 text-sm"
      >
        {shown}
      </pre>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a message never changes.
      <p key={i} className="break-words whitespace-pre-wrap">
        {shown.trim()}
      </p>
    );
  });
}

function Message({ message }: { message: TicketMessage }) {
  const { from, author_name: author, created_at: at, body, attachments } = message;
  return (
    <li className="card px-4 py-3 md:px-5">
      <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{unturned(author)}</span>
        {from === 'staff' && <Badge tone="good">Provider</Badge>}
        <span className="text-sm text-muted">
          <Ago time={at} />
        </span>
      </div>
      <Body text={body} />
      {attachments.length > 0 && (
        <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {attachments.map(({ id, url, filename, size_bytes: size }) => (
            <li key={id}>
              <a href={url ?? undefined} className="link">
                {unturned(filename)}
              </a>{' '}
              <span className="text-muted">{formatBytes(size)}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** What was written in a ticket, above its facts. */
export default function Conversation({ found: { row, noun, families } }: { found: Found }) {
  const messages = (row as unknown as { readonly messages?: readonly TicketMessage[] }).messages ?? [];
  const count = Number(row['message_count']);
  const address = addressOf(noun, families, String(row.id));
  return (
    <section aria-label="Conversation" className="mb-6">
      <h2 className="mb-3 text-lg font-semibold break-words">{unturned(String(row['subject']))}</h2>
      {count > messages.length && (
        <p className="mb-3 text-sm text-muted">
          The newest {messages.length} of {count} messages.
        </p>
      )}
      <ol className="grid grid-cols-1 gap-3">
        {messages.map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </ol>
      <Link to={`${address}/messages/new`} className="btn btn-primary mt-4">
        Reply
      </Link>
    </section>
  );
}
