/** Writes server-sent events: frames, comments that keep the connection open, and the end of the stream. */
import type { ServerResponse } from 'node:http';
import { maskKeys } from '../../kernel/access/key-format.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Stream, StreamItem } from '../../kernel/record.ts';
import type { Departure } from '../../kernel/waiting/client-gone.ts';

export interface StreamTimes {
  readonly commentMilliseconds: number;
  readonly lifeMilliseconds: number;
  /** How long the send buffer may stay full before the stream is closed. */
  readonly patienceMilliseconds: number;
  readonly backlogBytes: number;
}

export const streamTimes: StreamTimes = {
  commentMilliseconds: 15_000,
  lifeMilliseconds: 3_600_000,
  patienceMilliseconds: 10_000,
  backlogBytes: 1024 * 1024,
};

export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Stops proxies such as nginx from buffering the stream.
  'x-accel-buffering': 'no',
} as const;

const RETRY = 'retry: 3000\n\n';
const COMMENT = ':\n\n';

function frame({ id, event, data }: StreamItem): string {
  return `id: ${id}\nevent: ${event}\ndata: ${maskKeys(JSON.stringify(data))}\n\n`;
}

const endFrame = (problem: Problem): string =>
  `event: end\ndata: ${JSON.stringify({ code: problem.code })}\n\n`;

/** Resolves with false if the client does not read the buffered data in time, or disconnects. */
function drained(response: ServerResponse, { patienceMilliseconds }: StreamTimes): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => (): void => {
      clearTimeout(timer);
      response.off('drain', whenDrained).off('close', whenClosed);
      resolve(isDrained);
    };
    const whenDrained = settle(true);
    const whenClosed = settle(false);
    const timer = setTimeout(whenClosed, patienceMilliseconds);
    response.once('drain', whenDrained).once('close', whenClosed);
  });
}

/**
 * Resolves when the stream has ended, whether the client, the server or the maximum lifetime ended it. A stream never
 * ends in the middle of an event, because each event is written as a whole.
 */
export async function sendStream(
  response: ServerResponse,
  items: Stream,
  departure: Departure,
  times: StreamTimes = streamTimes,
): Promise<void> {
  response.write(RETRY);
  const comments = setInterval(() => response.write(COMMENT), times.commentMilliseconds);
  const lifetime = setTimeout(() => departure.leave(), times.lifeMilliseconds);
  try {
    for await (const item of items) {
      if (departure.hasLeft) break;
      const text = frame(item);
      const waiting = response.writableLength + Buffer.byteLength(text);
      if (waiting > times.backlogBytes && !(await drained(response, times))) {
        // The client reconnects and resumes after the last event that it read, so no event is lost.
        response.destroy();
        break;
      }
      response.write(text);
    }
  } catch (error) {
    if (!(error instanceof Problem)) {
      response.destroy();
      throw error;
    }
    response.write(endFrame(error));
  } finally {
    clearInterval(comments);
    clearTimeout(lifetime);
    if (!response.destroyed) response.end();
  }
}
