/**
 * One event stream for the whole browser: the tab that holds the lock reads it, and tells the others. Events only say
 * that something changed; what changed is read again.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { Account } from './types.ts';

interface Notice {
  readonly account: string;
  readonly type: string;
  /** The type of the resource that the event is about, such as `vm`; null if it is about none. */
  readonly noun: string | null;
}

/** Which of the things on the pages an event concerns. */
const topics: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^api_key\./, ['keys', 'access', 'denials']],
  [/^account\./, ['profile']],
  [/^budget\./, ['budgets', 'usage']],
  [/^webhook\./, ['webhooks']],
  [/^ip_allowlist\./, ['allowlist', 'denials']],
  [/^approval\./, ['approvals', 'operations']],
  [/^operation\./, ['operations', 'approvals', 'resources']],
  [/^member\./, ['members']],
];

const nounOf = ({ type, noun }: Notice): string => noun ?? type.split('.')[0] ?? '';

/** Whatever changes leaves an entry in the audit log, and things that appear or go change the counts of the limits. */
const OF_EVERYTHING = ['audit'];
const OF_THINGS = ['resources', 'limits'];

export function refresh(client: QueryClient, notice: Notice): void {
  const { account, type } = notice;
  const noun = nounOf(notice);
  const named = topics.filter(([pattern]) => pattern.test(type)).flatMap(([, names]) => names);
  const isThing = /\.(created|deleted|updated)$/.test(type);
  for (const name of new Set([...named, ...OF_EVERYTHING, ...(isThing ? OF_THINGS : [])]))
    void client.invalidateQueries({ queryKey: [account, name] });
  // The pages of products: the event of an operation is about what the operation works on.
  void client.invalidateQueries({ queryKey: [account, 'noun', noun] });
}

/** The type of the resource in the data of an event. What cannot be read says nothing. */
export function nounIn(data: string): string | null {
  try {
    const { resource } = JSON.parse(data) as { resource?: { type?: string } | null };
    return resource?.type ?? null;
  } catch {
    return null;
  }
}

async function read(
  path: string,
  signal: AbortSignal,
  lastId: string | null,
  tell: (type: string, noun: string | null, id: string) => void,
) {
  const response = await fetch(path, {
    signal,
    credentials: 'same-origin',
    headers: { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) },
  });
  if (!response.ok || response.body === null) return response.status;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let kept = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return 200;
    const frames = (kept + value).split('\n\n');
    kept = frames.pop() ?? '';
    for (const frame of frames) {
      const type = /^event: (.*)$/m.exec(frame)?.[1];
      const id = /^id: (.*)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1] ?? '';
      if (type !== undefined && id !== undefined) tell(type, nounIn(data), id);
    }
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

async function follow(
  account: Account,
  signal: AbortSignal,
  tell: (type: string, noun: string | null) => void,
): Promise<void> {
  const path = `/portal/v1/call/${account.id}/account/v1/events?since=now&types=*`;
  let lastId: string | null = null;
  for (let failures = 0; !signal.aborted; ) {
    const status = await read(path, signal, lastId, (type, noun, id) => {
      lastId = id;
      failures = 0;
      tell(type, noun);
    }).catch(() => 0);
    // Without the right to read events the pages still work: they read again when they are looked at.
    if (status === 401 || status === 403 || status === 404) return;
    if (status === 409 || status === 410) lastId = null;
    failures++;
    await pause(Math.min(30_000, 1000 * 2 ** failures), signal);
  }
}

export function openLive(client: QueryClient, account: Account): () => void {
  const end = new AbortController();
  const { signal } = end;
  const channel = new BroadcastChannel('hp-live');
  channel.onmessage = ({ data }: MessageEvent<Notice>) => refresh(client, data);
  const tell = (type: string, noun: string | null): void => {
    const notice: Notice = { account: account.id, type, noun };
    refresh(client, notice);
    channel.postMessage(notice);
  };
  navigator.locks
    .request(`hp-live-${account.id}`, { signal }, () => follow(account, signal, tell))
    .catch(() => {
      // The tab was closed, or the account changed, before its turn.
    });
  return () => {
    end.abort();
    channel.close();
  };
}
