/** Runs the command of an operation: builds the request, asks for confirmation, sends it, and prints the answer. */
import { isOn, last } from '../command.ts';
import type { Document, Parameter } from '../document/document.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Failure, misuse } from '../failure.ts';
import type { Reply } from '../http/client.ts';
import { ConnectionFailure } from '../http/connection-failure.ts';
import { rowsOf, urlOf } from '../http/pages.ts';
import { buildBody } from '../input/body.ts';
import { fits, Names, referenceOf } from '../input/references.ts';
import { TypesByName } from '../input/types-by-name.ts';
import { Values } from '../input/values.ts';
import { valueAt } from '../output/columns.ts';
import { printable } from '../output/printable.ts';
import { printerFor, type Session } from '../session.ts';
import { printFile, wantedFormat } from '../shapes/formats.ts';
import { canWait, confirmMember, isList, type OperationShape } from '../shapes/operation-shape.ts';
import { printAnswer } from './answer.ts';
import { confirmed } from './confirm.ts';
import { printDryRun } from './dry-run.ts';
import { follow } from './follow.ts';
import { isNamelessPart, partNamed } from './part-names.ts';
import type { Prepared, Typed } from './prepared.ts';
import { ResourceNames } from './resource-names.ts';
import { waitFor } from './wait.ts';
import { operationIn } from './work.ts';

export async function prepare(
  session: Session,
  document: Document,
  shape: OperationShape,
  { line, args, given }: Typed,
): Promise<Prepared> {
  const names = new Names(document, session.client);
  const params = await pathValues(session, names, document, shape, args);
  const values = new Values(document.schemas, session.io);
  const query: Record<string, string> = {};
  const headers: Record<string, string> = {};
  for (const { name, parameter, schema } of shape.parameterFlags) {
    const texts = given.get(name);
    if (texts === undefined || schema === undefined) continue;
    const value = await values.read(`--${name}`, schema, texts);
    const sent = await names.resolveBody(schema, value, params);
    if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = String(sent);
    else query[parameter.name] = Array.isArray(sent) ? sent.join(',') : String(sent);
  }
  const { body: schema } = shape.operation;
  const built =
    schema &&
    (await buildBody(session.io, document.schemas, {
      schema,
      flags: shape.memberFlags,
      given,
      unset: given.get('unset') ?? [],
    }));
  const types = new TypesByName(document, names, (text) => session.io.err(`${printable(text)}\n`));
  const typed = schema && (await types.fill(schema, built, params));
  const resolved = schema && (await names.resolveBody(schema, typed, params));
  const { choice } = shape.operation;
  const body = choice === undefined ? resolved : { ...(resolved as object), [choice.member]: choice.value };
  return { shape, document, given, line, args, params, query, headers, body };
}

async function pathValues(
  session: Session,
  names: Names,
  document: Document,
  { operation, pathParameters }: OperationShape,
  args: readonly string[],
): Promise<Record<string, string>> {
  const params: Record<string, string> = {};
  const inOrder: readonly [Parameter, string][] = pathParameters.map((each, i) => [each, args[i] ?? '']);
  for (const [{ name, schema }, text] of inOrder) {
    if (text === '') throw misuse('An argument is empty.');
    if (isNamelessPart(document, operation, name)) {
      params[name] = await partNamed(session, document, operation, params, text);
      continue;
    }
    const reference = referenceOf(document, operation, name);
    const isFit = fits(document.schemas.plain(schema), text);
    params[name] =
      reference === undefined ? text : await names.resolve(text, reference, { params, fits: isFit });
  }
  return params;
}

export async function runOperation(session: Session, prepared: Prepared): Promise<ExitCode> {
  const { shape, document, given } = prepared;
  const { operation } = shape;
  const { io, client } = session;
  const printer = printerFor(io, given);
  if (isOn(given, 'follow')) return follow(session, prepared, printer);
  if (isList(operation)) return printList(session, prepared);
  const isDryRun = isOn(given, 'dry-run');
  const confirm = await confirmed(session, prepared, isDryRun);
  const place = confirm === undefined ? null : confirmMember(document, operation);
  const query = {
    ...prepared.query,
    ...(isDryRun ? { dry_run: 'true' } : {}),
    ...(place === 'query' && confirm !== undefined ? { confirm } : {}),
  };
  const body = place === 'body' ? { ...(prepared.body as object), confirm } : prepared.body;
  const format = wantedFormat(io, operation, given);
  const headers = {
    ...prepared.headers,
    ...idempotency(prepared),
    ...(format === undefined ? {} : { accept: format }),
  };
  const request = {
    method: operation.method,
    path: urlOf(operation.path, { params: prepared.params, query }),
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: io.interrupted,
  };
  const reply = await client.call(request).catch((error: unknown) => {
    throw withKey(session, headers, error);
  });
  sayWarnings(session, reply);
  if (format !== undefined) {
    await printFile(io, format, reply.bytes);
    return exitCodes.done;
  }
  if (isDryRun) {
    await printDryRun(session, printer, reply.body);
    return exitCodes.done;
  }
  const started = canWait(operation) ? operationIn(reply) : undefined;
  if (started !== undefined) return waitFor(session, prepared, reply, started);
  if (reply.body === undefined) {
    if (printer.isForPeople) io.err('Done.\n');
  } else await printAnswer(session, prepared, reply.body, operation.answer);
  return exitCodes.done;
}

function idempotency({ shape, given }: Prepared): Record<string, string> {
  const isTaken = shape.flags.some(({ name }) => name === 'idempotency-key');
  return isTaken ? { 'idempotency-key': last(given, 'idempotency-key') ?? crypto.randomUUID() } : {};
}

/** If nobody knows whether a change arrived, says how to repeat it without a second effect. */
function withKey({ io }: Session, headers: Readonly<Record<string, string>>, error: unknown): unknown {
  const key = headers['idempotency-key'];
  const isBroken = error instanceof ConnectionFailure && error.mayHaveArrived;
  if (key === undefined || !(isBroken || io.interrupted.aborted)) return error;
  const [why, code] = isBroken ? [error.message, error.code] : ['Stopped.', exitCodes.interrupted];
  const next = `The change may have been made. To find out, repeat it with: --idempotency-key ${key}`;
  return new Failure(`${why}\n${next}`, code);
}

async function printList(session: Session, prepared: Prepared): Promise<ExitCode> {
  const { document, shape, given, params, query } = prepared;
  const text = last(given, 'limit');
  const most = text === undefined ? Number.POSITIVE_INFINITY : Number(text);
  if (Number.isNaN(most) || most < 1) throw misuse(`--limit is a whole number from 1 on, not "${text}".`);
  const cursor = last(given, 'cursor');
  const started = { params, query: { ...query, ...(cursor === undefined ? {} : { cursor }) } };
  const pages = rowsOf(session.client, shape.operation, started, most);
  let next: string | null = null;
  async function* watched(): AsyncGenerator<readonly unknown[]> {
    next = yield* pages;
  }
  const names = new ResourceNames(session, document);
  await printerFor(session.io, given).rows(document, document.rowOf(shape.operation), watched(), {
    columns: last(given, 'columns'),
    async withNames(rows, columns) {
      const others = columns.filter((column) => column !== 'id');
      await names.learn(rows.map((row) => others.map((column) => valueAt(row, column))));
      return names.nameOf;
    },
  });
  if (next !== null) session.io.err(`There are more rows: --cursor ${next}\n`);
  return exitCodes.done;
}

/** What the server wants people to know about a change that it made. */
function sayWarnings({ io }: Session, { headers }: Reply): void {
  const text = headers['hostplane-warnings'];
  if (typeof text !== 'string') return;
  for (const { detail } of JSON.parse(text) as { readonly detail: string }[])
    io.err(`Warning: ${printable(detail)}\n`);
}
