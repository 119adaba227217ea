/** Checks and short forms of answers that the laws use for every endpoint. */
import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import type { Endpoint } from '../kernel/record.ts';

const PROBLEM = /^application\/problem\+json(; charset=utf-8)?$/;
const REQUEST_ID = /req_[0-7][0-9a-hjkmnp-tv-z]{25}/g;

/** The whole answer, without the request id and the date, which differ between any two requests. */
export function likeness(response: LightMyRequestResponse): unknown {
  const { 'x-request-id': _, date: __, ...headers } = response.headers;
  return { status: response.statusCode, headers, body: response.body.replaceAll(REQUEST_ID, 'req') };
}

/** Status and problem code, such as `401 api_key_missing`; only the status if the answer is not a problem. */
export function outcomeOf(response: LightMyRequestResponse): string {
  const isProblem = PROBLEM.test(String(response.headers['content-type']));
  return isProblem
    ? `${response.statusCode} ${response.json<{ code: string }>().code}`
    : String(response.statusCode);
}

/** Checks the headers that every answer has, and the members that every problem has. */
export function expectWellFormed(subject: string, response: LightMyRequestResponse): void {
  const { headers } = response;
  expect({
    subject,
    request: headers['x-request-id'],
    policy: headers['ratelimit-policy'],
    left: headers['ratelimit'],
  }).toEqual({
    subject,
    request: expect.stringMatching(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
    policy: '"ip";q=200;w=60',
    left: expect.stringMatching(/^"ip";r=\d+;t=\d+$/),
  });
  if (response.statusCode < 400) return;
  const body = response.json<{ code: string }>();
  expect({ subject, ...body }).toMatchObject({
    subject,
    type: expect.stringMatching(new RegExp(`^https://.+/errors/${body.code}$`)),
    title: expect.any(String),
    status: response.statusCode,
    detail: expect.any(String),
    instance: `/requests/${headers['x-request-id']}`,
    request_id: headers['x-request-id'],
    next_step: expect.stringMatching(/\.$/),
    retryable: expect.any(Boolean),
    errors: expect.any(Array),
  });
  expect([subject, headers['content-type'], headers['cache-control']]).toEqual([
    subject,
    expect.stringMatching(PROBLEM),
    'no-store',
  ]);
}

/** Adds the endpoint to the name of each case, so that a failure shows the endpoint. */
export const named = (endpoint: Endpoint, cases: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(cases).map(([name, value]) => [`${endpoint.id}, ${name}`, value]));
