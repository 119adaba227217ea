/** Asks a resolver for the addresses of a name. */
import { Resolver } from 'node:dns/promises';
import { EngineUnreachable } from '../errors.ts';

const LIMITS = { timeout: 1_000, tries: 2 } as const;
/** The resolver answered that there is no such name, or that it has no such address. */
const NONE: readonly string[] = ['ENOTFOUND', 'ENODATA'];

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);

/** IPv4 and IPv6. `server`: the resolver to ask; null: those of this machine. */
export async function lookUp(
  hostname: string,
  server: string | null,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  signal?.throwIfAborted();
  const resolver = new Resolver(LIMITS);
  if (server !== null) resolver.setServers([server]);
  const end = (): void => resolver.cancel();
  signal?.addEventListener('abort', end, { once: true });
  const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)].map((answer) =>
    answer.catch((error: unknown): string[] => {
      if (NONE.includes(codeOf(error))) return [];
      throw error;
    }),
  );
  try {
    return (await Promise.all(asked)).flat();
  } catch (error) {
    signal?.throwIfAborted();
    throw new EngineUnreachable(`The resolver did not answer for ${hostname}.`, { cause: error });
  } finally {
    signal?.removeEventListener('abort', end);
  }
}
