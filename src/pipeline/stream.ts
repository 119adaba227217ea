/**
 * Event streams: a stream is opened like any other call. Every ten seconds, and immediately when the access rights of
 * the account change, the stream checks again whether its caller may still read.
 */
import { nothingDone } from '../kernel/call.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Stream, StreamItem } from '../kernel/record.ts';
import type { Services } from '../kernel/services.ts';
import { keepSeat, leaveSeat, newSeat, type Seat, takeSeat } from '../kernel/streams/store.ts';
import type { Departure } from '../kernel/waiting/client-gone.ts';
import { hold as holdOnce } from '../kernel/waiting/hold.ts';
import { readmit } from './admission.ts';
import { callOf, type Hold } from './call-context.ts';
import { isPreferred } from './format.ts';
import { EVENT_STREAM, readInput } from './input.ts';
import { CallersPatience } from './wait.ts';

const BEAT_MS = 10_000;

export interface OpenStream {
  /** Ends when the client disconnects or the process stops. Throws the refusal if the caller loses its access. */
  readonly items: Stream;
  close(): Promise<void>;
}

/** Ends the stream without an error, because the client disconnected or the process stops. */
class Over extends Error {}

export function wantsStream({ endpoint, incoming }: Exchange): boolean {
  const { accept } = incoming.headers;
  if (endpoint?.stream === undefined || incoming.method !== 'GET' || accept === undefined) return false;
  return isPreferred(accept, EVENT_STREAM);
}

const full = (): Problem => new Problem('stream_limit_reached');

function holdWhile(exchange: Exchange, services: Services, departure: Departure, seat: Seat): Hold {
  let nextBeat = performance.now() + BEAT_MS;
  const beat = async (): Promise<void> => {
    const refused = await readmit(exchange, services);
    if (refused !== undefined) throw refused;
    if (!(await keepSeat(services.db, seat))) throw full();
    nextBeat = performance.now() + BEAT_MS;
  };
  return async <T>(holding: Parameters<typeof holdOnce<T>>[2]): Promise<T> => {
    let last: T | undefined;
    const onwards = { ...holding, look: (before?: T) => holding.look(before ?? last) };
    for (;;) {
      if (performance.now() >= nextBeat) await beat();
      const patience = new CallersPatience(exchange, services, nextBeat - performance.now(), departure);
      last = await holdOnce(services.waiters, patience, onwards);
      if (departure.hasLeft || services.waiters.isClosed) throw new Over();
      if (holding.isDone(last)) return last;
    }
  };
}

async function* untilOver(stream: Stream): AsyncGenerator<StreamItem> {
  try {
    yield* stream;
  } catch (error) {
    if (!(error instanceof Over)) throw error;
  }
}

/** Throws the same problems as any call. The caller must call `close` on the stream that it returns. */
export async function openStream(
  exchange: Exchange,
  services: Services,
  departure: Departure,
): Promise<OpenStream> {
  const input = readInput(exchange, services, undefined);
  const caller = callerOf(exchange);
  const { db } = services;
  const seat = newSeat(caller.account.id, caller.key === null ? caller.sessionId : caller.key.id);
  if (!(await takeSeat(db, seat))) throw full();
  const close = (): Promise<void> => leaveSeat(db, seat);
  try {
    const hold = holdWhile(exchange, services, departure, seat);
    const call = callOf(exchange, services, input, { db, done: nothingDone(), hold });
    const sent = exchange.incoming.headers['last-event-id'];
    const resumeAfter = typeof sent === 'string' && sent !== '' ? sent : undefined;
    const stream = await endpointOf(exchange).stream?.(call, resumeAfter);
    if (stream === undefined) throw new Error(`${endpointOf(exchange).id} has no stream.`);
    return { items: untilOver(stream), close };
  } catch (error) {
    await close();
    throw error;
  }
}
