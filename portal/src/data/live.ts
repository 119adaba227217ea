/**
 * One event stream for the whole browser: the tab that holds the lock reads it, and tells the others. Events only say
 * that something changed; what changed is read again.
 */
import type { QueryClient } from '@tanstack/react-query';
import { setAway } from './away.ts';
import { refreshNouns } from './product.ts';

interface Notice {
  readonly account: string;
  readonly type: string;
}

/** What the tab that reads the stream tells the others. */
type Told = Notice | { readonly away: boolean };

/** Which of the things on the pages an event concerns. */
const topics: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^api_key\./, ['keys', 'access', 'denials']],
  [/^account\./, ['profile', 'access']],
  [/^budget\./, ['budgets', 'usage']],
  [/^webhook\./, ['webhooks']],
  [/^ip_allowlist\./, ['allowlist', 'denials']],
  [/^approval\./, ['approvals', 'operations']],
  [/^operation\./, ['operations', 'approvals', 'resources']],
  [/^member\./, ['members', 'access']],
];

/** Whatever changes leaves an entry in the audit log, and things that appear or go change the counts of the limits. */
const OF_EVERYTHING = ['audit'];
const OF_THINGS = ['resources', 'limits'];

/** The state of the account and the role in it stand with the person. */
const OF_THE_PERSON = /^(account\.|member\.role_changed$)/;

export function refresh(client: QueryClient, { account, type }: Notice): void {
  const named = topics.filter(([pattern]) => pattern.test(type)).flatMap(([, names]) => names);
  const isThing = /\.(created|deleted|updated)$/.test(type);
  for (const name of new Set([...named, ...OF_EVERYTHING, ...(isThing ? OF_THINGS : [])]))
    void client.invalidateQueries({ queryKey: [account, name] });
  if (OF_THE_PERSON.test(type)) void client.invalidateQueries({ queryKey: ['me'] });
  refreshSoon(client, account);
}

/** In milliseconds. A flood of events reads the pages again no faster than this. */
const LEAST = 700;
const soon = new Map<string, { at: number; timer: number | undefined }>();

/**
 * The pages of products. One event may change several types: a volume that is attached shows in its machine, too. Only
 * what is on the page is read.
 */
function refreshSoon(client: QueryClient, account: string): void {
  const last = soon.get(account) ?? { at: 0, timer: undefined };
  soon.set(account, last);
  if (last.timer !== undefined) return;
  const wait = Math.max(0, last.at + LEAST - Date.now());
  last.timer = window.setTimeout(() => {
    soon.set(account, { at: Date.now(), timer: undefined });
    refreshNouns(client, account);
  }, wait);
}

async function read(
  path: string,
  signal: AbortSignal,
  lastId: string | null,
  tell: (type: string, id: string) => void,
  opened: () => void,
) {
  const response = await fetch(path, {
    signal,
    credentials: 'same-origin',
    headers: { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) },
  });
  if (!response.ok || response.body === null) return response.status;
  opened();
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
      if (type !== undefined && id !== undefined) tell(type, id);
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

/** One attempt may fail in passing: a server that starts again takes its place. */
const ATTEMPTS = 2;

async function follow(
  account: string,
  signal: AbortSignal,
  tell: (type: string) => void,
  tellAway: (away: boolean) => void,
): Promise<void> {
  const path = `/portal/v1/call/${account}/account/v1/events?since=now&types=*`;
  let lastId: string | null = null;
  for (let failures = 0; !signal.aborted; ) {
    const hear = (type: string, id: string): void => {
      lastId = id;
      failures = 0;
      tell(type);
    };
    const status = await read(path, signal, lastId, hear, () => tellAway(false)).catch(() => 0);
    // Without the right to read events the pages still work: they read again when they are looked at.
    if (status === 401 || status === 403 || status === 404) return;
    if (status === 409 || status === 410) lastId = null;
    failures++;
    if ((status === 0 || status >= 500) && failures >= ATTEMPTS && !signal.aborted) tellAway(true);
    await pause(Math.min(30_000, 1000 * 2 ** failures), signal);
  }
}

export function openLive(client: QueryClient, account: string): () => void {
  const end = new AbortController();
  const { signal } = end;
  const channel = new BroadcastChannel('hp-live');
  const setAwayHere = (away: boolean): void => {
    // What happened meanwhile may have been missed.
    if (setAway(away) && !away) void client.invalidateQueries();
  };
  channel.onmessage = ({ data }: MessageEvent<Told>) =>
    'away' in data ? setAwayHere(data.away) : refresh(client, data);
  const tell = (type: string): void => {
    const notice: Notice = { account, type };
    refresh(client, notice);
    channel.postMessage(notice);
  };
  const tellAway = (away: boolean): void => {
    setAwayHere(away);
    channel.postMessage({ away } satisfies Told);
  };
  navigator.locks
    .request(`hp-live-${account}`, { signal }, () => follow(account, signal, tell, tellAway))
    .catch(() => {
      // The tab was closed, or the account changed, before its turn.
    });
  return () => {
    end.abort();
    setAway(false);
    channel.close();
  };
}
