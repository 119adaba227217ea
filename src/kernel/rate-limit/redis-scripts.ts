/**
 * Lua scripts that run inside Redis or Valkey. Each is atomic and uses the store's own clock, so processes need no
 * synchronised clocks, and no two of them can take the last free request.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

export interface Script {
  readonly text: string;
  readonly sha: string;
}

const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * KEYS[1] is the log of one address, a list of at most `limit` times. ARGV: window, limit, 'take' or 'peek'.
 * Returns {1 if allowed, counted requests, milliseconds until the oldest expires}.
 */
export const countScript = script(`${CLOCK}
local window = tonumber(ARGV[1])
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and now - oldest >= window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local counted = redis.call('LLEN', KEYS[1])
local allowed = 0
if counted < tonumber(ARGV[2]) then
  allowed = 1
  if ARGV[3] == 'take' then
    counted = redis.call('RPUSH', KEYS[1], now)
    redis.call('PEXPIRE', KEYS[1], window)
    oldest = oldest or now
  end
end
return {allowed, counted, oldest and window - (now - oldest) or 0}
`);

/** The store keeps scripts until it restarts, so the text is sent only if the store does not know the hash. */
export async function runScript(
  redis: Redis,
  { text, sha }: Script,
  key: string,
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, 1, key, ...args);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
      return await redis.eval(text, 1, key, ...args);
    }
    throw error;
  }
}

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}
