/** What the laws look at in an answer, whichever endpoint gave it. */
import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import type { Endpoint } from '../kernel/record.ts';

const PROBLEM = /^application\/problem\+json(; charset=utf-8)?$/;
const REQUEST_ID = /req_[0-7][0-9a-hjkmnp-tv-z]{25}/g;

/** The whole answer as bytes would show it, but for what differs between any two requests. */
export function likeness(response: LightMyRequestResponse): unknown {
  const { 'x-request-id': _, date: __, ...headers } = response.headers;
  return { status: response.statusCode, headers, body: response.body.replaceAll(REQUEST_ID, 'req') };
}

/** `401 api_key_missing`, or only the status where it is no problem. */
export function outcomeOf(response: LightMyRequestResponse): string {
  const isProblem = PROBLEM.test(String(response.headers['content-type']));
  return isProblem
    ? `${response.statusCode} ${response.json<{ code: string }>().code}`
    : String(response.statusCode);
}

/** Headers that every answer has, and the members every problem has. */
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

/** So that a failing case says which endpoint it was. */
export const named = (endpoint: Endpoint, cases: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(cases).map(([name, value]) => [`${endpoint.id}, ${name}`, value]));
