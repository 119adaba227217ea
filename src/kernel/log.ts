/** The log: JSON lines, or plain text on a terminal. Members that a schema marks as secret become `***`; API keys are masked anywhere in a line. */
import pino, { type DestinationStream, type Logger } from 'pino';
import { maskKeys } from './access/key-format.ts';
import { OutageLog } from './outage-log.ts';
import type { Endpoint } from './record.ts';
import type { Registry } from './registry.ts';
import { forTerminal } from './terminal-log.ts';

const ALWAYS = ['x-api-key', 'authorization', 'password', 'secret', 'token', 'cookie'];

/** Endpoints share most of their schemas: `seen` holds those whose names are known. */
function collectSecretNames(schema: unknown, names: Set<string>, seen: Set<object>): void {
  if (schema === null || typeof schema !== 'object' || seen.has(schema)) return;
  seen.add(schema);
  const properties = (schema as { properties?: Record<string, unknown> }).properties ?? {};
  for (const [name, member] of Object.entries(properties)) {
    if ((member as { 'x-secret'?: boolean })['x-secret']) names.add(name);
  }
  for (const part of Object.values(schema)) collectSecretNames(part, names, seen);
}

function secretNames(registry: Registry): ReadonlySet<string> {
  const names = new Set(ALWAYS);
  const seen = new Set<object>();
  for (const { body, answers, query } of registry.endpoints)
    collectSecretNames([body, answers, query], names, seen);
  return names;
}

/** Copies only the objects it changes, because nearly all lines hold no secret and every request writes one. */
function star(value: unknown, names: ReadonlySet<string>, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Error || depth > 8) return value;
  if (Array.isArray(value)) return value.map((item) => star(item, names, depth + 1));
  const given = value as Record<string, unknown>;
  let kept = given;
  for (const name of Object.keys(given)) {
    const starred = names.has(name.toLowerCase()) ? '***' : star(given[name], names, depth + 1);
    if (starred === given[name]) continue;
    if (kept === given) kept = { ...given };
    kept[name] = starred;
  }
  return kept;
}

let now = 0;
let nowText = '';

/** Caches the text: many lines share a millisecond, and formatting a date takes longer than comparing a number. */
function isoNow(): string {
  const time = Date.now();
  if (time !== now) {
    now = time;
    nowText = new Date(time).toISOString();
  }
  return nowText;
}

/** A database error quotes the offending values, so only its code, constraint and table are logged. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint, table } = error as Error & { code?: string; constraint?: string; table?: string };
  return { type: error.name, message: error.message, stack: error.stack, code, constraint, table };
}

const BATCH_MS = 20;
const BATCH_LENGTH = 131_072;

/** Collects lines and writes them together: under load, one write per line costs several times more than the line. */
function batch(destination: ReturnType<typeof pino.destination>): DestinationStream {
  let lines = '';
  const pass = (): void => {
    // A Buffer, because pino would measure and encode a string once more.
    if (lines !== '') destination.write(Buffer.from(lines) as unknown as string);
    lines = '';
  };
  process.on('exit', () => {
    pass();
    destination.flushSync();
  });
  return {
    write(line) {
      if (lines === '') setTimeout(pass, BATCH_MS);
      lines += line;
      if (lines.length >= BATCH_LENGTH) pass();
    },
  };
}

function standardError(): DestinationStream {
  const stream = batch(pino.destination({ fd: 2, sync: false, minLength: 0, contentMode: 'buffer' }));
  return process.stderr.isTTY ? forTerminal(stream) : stream;
}

export function createLog(registry: Registry, level: string, destination?: DestinationStream): Logger {
  const names = secretNames(registry);
  const outages = new OutageLog();
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoNow()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        log: (line) => star(line, names) as Record<string, unknown>,
      },
      serializers: { err: describeError },
      hooks: {
        streamWrite: maskKeys,
        logMethod(args, write) {
          const [line, message] = args as unknown as [unknown, string | undefined];
          if (outages.take(line, message, (...rest) => write.apply(this, rest as never))) return;
          write.apply(this, args);
        },
      },
    },
    destination ?? standardError(),
  );
}

export interface RequestLine {
  readonly requestId: string;
  readonly endpoint: Endpoint | undefined;
  readonly method: string;
  /** The path of the request. It is logged only if no endpoint matches. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly clientIp: string;
  readonly accountId: string | undefined;
  readonly keyPublicId: string | undefined;
}

const ownCalls = new Map<Endpoint, string>();

function describeCall({ endpoint, method, path }: RequestLine): string {
  if (endpoint === undefined)
    return `"method":"${method}","operation":"none","path":${JSON.stringify(maskKeys(path.slice(0, 200)))}`;
  const known = ownCalls.get(endpoint);
  if (known !== undefined && method === endpoint.method) return known;
  const call = `"method":"${method}","operation":"${endpoint.id}","path":"${endpoint.path}"`;
  if (method === endpoint.method) ownCalls.set(endpoint, call);
  return call;
}

/**
 * Writes the line of a request directly to the stream, without pino's formatters: its members are known, none is
 * secret, and only the path holds text that a caller chose.
 */
export function openRequestLog(log: Logger): (line: RequestLine) => void {
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]!;
  return (line) => {
    if (!log.isLevelEnabled('info')) return;
    const account = line.accountId === undefined ? '' : `,"account_id":"${line.accountId}"`;
    const key = line.keyPublicId === undefined ? '' : `,"key":"${line.keyPublicId}"`;
    stream.write(
      `{"level":"info","time":"${isoNow()}","request_id":"${line.requestId}",${describeCall(line)},` +
        `"status":${line.status},"ms":${line.milliseconds},"client_ip":"${line.clientIp}"${account}${key},"msg":"request"}\n`,
    );
  };
}
