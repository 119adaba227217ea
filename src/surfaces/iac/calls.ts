/** What a tool has to know about one operation of the document to call it. */
import type { Entry, Resolver } from '../openapi/resolved.ts';
import { type Plain, plainOf } from './schemas.ts';

export interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  /** It always starts an operation; the answer names it in `Operation-Location`. */
  readonly startsOperation: boolean;
  /** It starts an operation only if the request asks for something that takes time. */
  readonly mayStartOperation: boolean;
  /** It can be asked to wait with the header `Prefer: wait=60`. */
  readonly waits: boolean;
  /** With `?on_failure=delete`, a creation that fails leaves nothing. */
  readonly cleansUp: boolean;
  /** With `?detach=true`, a deletion first detaches what is attached. */
  readonly detaches: boolean;
  readonly takesIdempotencyKey: boolean;
}

const parameterNames = ({ operation }: Entry, resolver: Resolver): Set<string> =>
  new Set((operation.parameters ?? []).map((parameter) => resolver.parameter(parameter).name));

export function callOf(entry: Entry, resolver: Resolver): Call {
  const names = parameterNames(entry, resolver);
  const { 'x-operation': started } = entry.operation;
  return {
    id: entry.id,
    method: entry.method,
    path: entry.path,
    permission: entry.operation['x-permission'],
    startsOperation: started !== undefined && started.sometimes !== true,
    mayStartOperation: started?.sometimes === true,
    waits: names.has('Prefer'),
    cleansUp: names.has('on_failure'),
    detaches: names.has('detach'),
    takesIdempotencyKey: names.has('Idempotency-Key'),
  };
}

/** What the request takes. */
export const bodyOf = ({ operation }: Entry, resolver: Resolver): Plain =>
  plainOf(operation.requestBody?.content['application/json']?.schema ?? {}, resolver);
