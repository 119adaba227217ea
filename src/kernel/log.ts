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

function star(value: unknown, names: ReadonlySet<string>, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Error || depth > 8) return value;
  if (Array.isArray(value)) return value.map((item) => star(item, names, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      names.has(name.toLowerCase()) ? '***' : star(member, names, depth + 1),
    ]),
  );
}

/** A database error quotes the values it choked on; its code and place are enough to find the fault. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint, table } = error as Error & { code?: string; constraint?: string; table?: string };
  return { type: error.name, message: error.message, stack: error.stack, code, constraint, table };
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
    destination ?? pino.destination({ fd: 2, sync: false, minLength: 0 }),
  );
}
