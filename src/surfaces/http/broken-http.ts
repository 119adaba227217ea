/** What cannot be parsed as HTTP never reaches a route; it still gets a problem a client can read. */
import type { Socket } from 'node:net';
import { newId } from '../../kernel/ids.ts';
import { Problem, problemBody } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';

export function answerBrokenHttp(
  { docsUrl }: Services,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const problem = isSlow
    ? new Problem('request_timeout')
    : new Problem('malformed_request', {
        detail: 'The request is not valid HTTP/1.1, or its headers are larger than 16 KiB.',
      });
  const requestId = newId('request');
  const body = JSON.stringify(problemBody(problem, requestId, docsUrl));
  socket.end(
    `HTTP/1.1 ${problem.status} ${isSlow ? 'Request Timeout' : 'Bad Request'}\r\n` +
      `Content-Type: application/problem+json\r\nX-Request-Id: ${requestId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
