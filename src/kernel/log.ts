/** JSON lines. What the schemas mark as secret is starred by name, and anything shaped like a key is masked wherever it stands. */
import pino, { type DestinationStream, type Logger } from 'pino';
import { maskKeys } from './access/key-format.ts';
import type { Registry } from './registry.ts';

const ALWAYS = ['x-api-key', 'authorization', 'password', 'secret', 'token', 'cookie'];

function collectSecretNames(schema: unknown, names: Set<string>): void {
  if (schema === null || typeof schema !== 'object') return;
  const properties = (schema as { properties?: Record<string, unknown> }).properties ?? {};
  for (const [name, member] of Object.entries(properties)) {
    if ((member as { 'x-secret'?: boolean })['x-secret']) names.add(name);
  }
  for (const part of Object.values(schema)) collectSecretNames(part, names);
}

export function secretNames(registry: Registry): ReadonlySet<string> {
  const names = new Set(ALWAYS);
  for (const { body, answers, query } of registry.endpoints)
    collectSecretNames([body, answers, query], names);
  return names;
}

/** Copies only what it changes: nearly all lines hold nothing to hide, and every request writes one. */
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

/** A database error quotes the values it choked on; its code and place are enough to find the fault. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint, table } = error as Error & { code?: string; constraint?: string; table?: string };
  return { type: error.name, message: error.message, stack: error.stack, code, constraint, table };
}

const BATCH_MS = 20;
const BATCH_LENGTH = 32_768;

/** Lines leave together: under load, a write for each would cost several times what the line does. */
function batch(destination: ReturnType<typeof pino.destination>): DestinationStream {
  let lines = '';
  const pass = (): void => {
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  process.on('exit', () => {
    pass();
    destination.flushSync();
  });
  return {
    write(line) {
      if (lines === '') setTimeout(pass, BATCH_MS).unref();
      lines += line;
      if (lines.length >= BATCH_LENGTH) pass();
    },
  };
}

export function createLog(registry: Registry, level: string, destination?: DestinationStream): Logger {
  const names = secretNames(registry);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (line) => star(line, names) as Record<string, unknown>,
      },
      serializers: { err: describeError },
      hooks: { streamWrite: maskKeys },
    },
    destination ?? batch(pino.destination({ fd: 2, sync: false, minLength: 0 })),
  );
}
