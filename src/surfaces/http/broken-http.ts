/**
 * Answers requests that cannot be parsed as HTTP: they reach no route, but still get a problem body and a log line.
 */
import type { Socket } from 'node:net';
import { newId } from '../../kernel/ids.ts';
import { Problem, problemBody } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { headersTooLarge } from './header-limit.ts';
import { answerSocket } from './socket-answer.ts';

function problemOf(error: Error & { code?: string }): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout');
  if (error.code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  return new Problem('malformed_request', { detail: 'The request is not valid HTTP/1.1.' });
}

export function answerBrokenHttp(
  { docsUrl, log, metrics }: Services,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error);
  const { status } = problem;
  const requestId = newId('request');
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': requestId };
  answerSocket(socket, status, headers, JSON.stringify(problemBody(problem, requestId, docsUrl)));
  metrics.requests.refused(problem.code);
  metrics.requests.answered('none', status, 0);
  log.info(
    { request_id: requestId, status, client_ip: socket.remoteAddress, reason: error.code },
    'request is not valid HTTP',
  );
}
