/** Waits for an operation, shows how it goes, and prints the resource when it has ended. */
import { isOn, last } from '../command.ts';
import type { Schema } from '../document/schema.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Failure, misuse } from '../failure.ts';
import type { Reply } from '../http/client.ts';
import { urlOf } from '../http/pages.ts';
import { isObject } from '../input/body.ts';
import { printable } from '../output/printable.ts';
import { printerFor, type Session } from '../session.ts';
import { printAnswer } from './answer.ts';
import { inCommandWords } from './command-words.ts';
import { rowSchema } from './part-names.ts';
import type { Prepared } from './prepared.ts';
import { Progress } from './progress.ts';
import { isWork, type Work } from './work.ts';

/** One request may be held so long; shorter than what proxies tolerate. */
const HELD_SECONDS = 30;

const waitCommand = (id: string): string => `hostplane account operation get ${id} --wait`;

export async function waitFor(
  session: Session,
  prepared: Prepared,
  reply: Reply,
  started: Work,
): Promise<ExitCode> {
  const { io } = session;
  const { given, shape } = prepared;
  const printer = printerFor(io, given);
  if (!isOn(given, 'wait')) {
    await printAnswer(session, prepared, reply.body, shape.operation.answer);
    if (!started.done && shape.operation.access !== 'read')
      io.err(`The work goes on as ${started.id}. Wait for it with: ${waitCommand(started.id)}\n`);
    return exitCodes.done;
  }
  const seconds = last(given, 'timeout');
  if (seconds !== undefined && !(Number(seconds) > 0)) throw misuse('--timeout is a number of seconds.');
  const ended = await untilDone(session, prepared, started, Number(seconds ?? Number.POSITIVE_INFINITY));
  if (ended.status !== 'succeeded') throw workFailed(prepared, ended);
  const final = await finalValue(session, prepared, reply, ended);
  if (final === undefined) {
    if (printer.isForPeople) io.err('Done.\n');
  } else await printAnswer(session, prepared, final, schemaOf(prepared));
  return exitCodes.done;
}

/** Of what is printed after the work: the resource as its own call reads it. */
function schemaOf({ document, shape: { operation } }: Prepared): Schema {
  const { read } = operation.resource;
  const reader = document.find(read?.operation ?? '');
  if (reader === undefined) return operation.answer;
  const part = read?.in === undefined ? undefined : rowSchema(document, operation.resource, reader);
  return part ?? reader.answer;
}

async function untilDone(
  session: Session,
  { document, shape }: Prepared,
  started: Work,
  seconds: number,
): Promise<Work> {
  const { io, client } = session;
  const read = document.find('getOperation')?.path ?? '/account/v1/operations/{id}';
  const deadline = Date.now() + seconds * 1000;
  const progress = new Progress(io, shape.operation.work?.typical_seconds);
  try {
    let work = started;
    while (!work.done) {
      progress.show(work);
      const left = Math.ceil((deadline - Date.now()) / 1000);
      if (left <= 0) throw timedOut(work);
      const query = { wait: String(Math.min(HELD_SECONDS, left)) };
      const path = urlOf(read, { params: { id: work.id }, query });
      const { body } = await client.call({ method: 'GET', path, signal: io.interrupted });
      work = body as Work;
    }
    progress.show(work);
    return work;
  } catch (error) {
    if (io.interrupted.aborted) throw interrupted(started);
    throw error;
  } finally {
    progress.end();
  }
}

function interrupted({ id, type }: Work): Failure {
  return new Failure(
    `Stopped waiting. The operation ${id} (${type}) goes on without you.\nLook at it:  hostplane account operation get ${id}\nWait again:  ${waitCommand(id)}\nGive it up:  hostplane account operation cancel ${id}`,
    exitCodes.interrupted,
  );
}

const timedOut = ({ id, type }: Work): Failure =>
  new Failure(
    `The time is over, and ${id} (${type}) still runs. Wait again with: ${waitCommand(id)}`,
    exitCodes.timedOut,
  );

function workFailed({ document, shape }: Prepared, { id, type, status, error }: Work): Failure {
  const say = (text: string): string => inCommandWords(text, document, { operation: shape.operation });
  const why = error == null ? '' : ` ${say(error.detail ?? '')} (${error.code})`;
  const next = error?.next_step === undefined ? '' : `\nNext step: ${say(error.next_step)}`;
  return new Failure(
    printable(`The operation ${id} (${type}) ${status}.${why}${next}\nOperation id: ${id}`),
    exitCodes.operationFailed,
  );
}

/** The resource after the work. What is shown only once, such as a password, is kept from the first answer. */
async function finalValue(
  { client }: Session,
  { document, shape, params }: Prepared,
  reply: Reply,
  work: Work,
): Promise<unknown> {
  const { operation } = shape;
  const { resource } = operation;
  if (operation.access === 'read' || resource.read === undefined) return work;
  if (resource.role === 'delete') return undefined;
  const read = document.find(resource.read.operation);
  if (read === undefined) return work;
  const first = isObject(reply.body) && !isWork(reply.body) ? reply.body : {};
  const id = String(first['id'] ?? work.resource?.id ?? '');
  const names = read.parameters.filter((each) => each.in === 'path').map(({ name }) => name);
  const own = read.resource.parameter ?? names.at(-1);
  const all =
    resource.read.in === undefined && own !== undefined ? { ...params, [own]: params[own] ?? id } : params;
  const { body } = await client.call({ method: 'GET', path: urlOf(read.path, { params: all, query: {} }) });
  if (resource.read.in !== undefined) return itemIn(body, resource.read.in, id);
  return { ...(body as object), ...shownOnce(first, body as object) };
}

/** The item of a list inside the answer; the whole answer if it is not there. */
function itemIn(body: unknown, pointer: string, id: string): unknown {
  let list: unknown = body;
  for (const name of pointer.split('/').slice(1)) list = isObject(list) ? list[name] : undefined;
  const found = Array.isArray(list) ? list.find((item) => isObject(item) && item['id'] === id) : undefined;
  return found ?? body;
}

/** What only the first answer shows, such as a password. */
const shownOnce = (first: Readonly<Record<string, unknown>>, final: object): object =>
  Object.fromEntries(Object.entries(first).filter(([name, value]) => value !== null && !(name in final)));
