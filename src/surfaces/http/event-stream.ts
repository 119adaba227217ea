/** Server-sent events on the wire: frames, comments that keep the way open, and the ends a stream can come to. */
import type { ServerResponse } from 'node:http';
import { maskKeys } from '../../kernel/access/key-format.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Stream, StreamItem } from '../../kernel/record.ts';
import type { Departure } from '../../kernel/waiting/client-gone.ts';

export interface StreamTimes {
  readonly commentMilliseconds: number;
  readonly lifeMilliseconds: number;
  /** How long a reader may leave the backlog full. */
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
  // Proxies that collect answers before they pass them on would make it anything but live.
  'x-accel-buffering': 'no',
} as const;

const RETRY = 'retry: 3000\n\n';
const COMMENT = ':\n\n';

function frame({ id, event, data }: StreamItem): string {
  return `id: ${id}\nevent: ${event}\ndata: ${maskKeys(JSON.stringify(data))}\n\n`;
}

const endFrame = (problem: Problem): string =>
  `event: end\ndata: ${JSON.stringify({ code: problem.code })}\n\n`;

/** False: the reader did not take what it has in time. */
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
 * Resolves when the stream has ended, whoever ended it. When its time is over it ends between two
 * events, since each is written whole.
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
        // It resumes after the last event it read: nothing is lost but the connection.
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
