/**
 * Hashes passwords with argon2id. A hash takes 19 MiB and about 60 ms of a core, so only two run at once and few may
 * wait. The library is a native module that is not part of the bundle; it is loaded at the first use.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Problem } from '../../../kernel/problems/problem.ts';

const AT_ONCE = 2;
const MOST_WAITING = 32;
const BUSY_SECONDS = 5;
/** 2: argon2id. The library exports it as a const enum, which does not exist at run time. */
const options = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

type Argon2 = typeof import('@node-rs/argon2');

export const ARGON2_FIX =
  'Install it beside the bundle with: npm install @node-rs/argon2@2.2.1 (in the folder of Hostplane).';

let loading: Promise<Argon2> | undefined;

/** Throws if the library is not installed for this platform. */
export async function loadArgon2(): Promise<Argon2> {
  loading ??= import('@node-rs/argon2');
  return loading.catch((cause: unknown) => {
    loading = undefined;
    throw new Problem('engine_unavailable', {
      detail: 'Passwords cannot be checked: the module @node-rs/argon2 is missing or does not load.',
      nextStep: 'Ask your provider to run hostplane admin doctor; passkeys still work.',
      cause,
    });
  });
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: (argon2: Argon2) => Promise<T>): Promise<T> {
  const argon2 = await loadArgon2();
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING)
      throw new Problem('sign_in_busy', { retryAfterSeconds: BUSY_SECONDS });
    // The one that ends passes its place on, so `running` stays the same.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work(argon2);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

export const hashPassword = (password: string): Promise<string> =>
  inTurn((argon2) => argon2.hash(password, options));

let dummy: Promise<string> | undefined;

/** Takes the same time for a person without a password, so that the time does not tell who exists. */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  dummy ??= hashPassword(randomBytes(16).toString('hex')).catch((error: unknown) => {
    dummy = undefined;
    throw error;
  });
  const compared = hash ?? (await dummy);
  const isRight = await inTurn((argon2) => argon2.verify(compared, password));
  return hash !== null && isRight;
}

/** The same hash for the same code of the same person, so that it can be looked up. */
export async function hashCode(personId: string, code: string): Promise<Buffer> {
  const salt = createHash('sha256').update(personId).digest().subarray(0, 16);
  return inTurn((argon2) => argon2.hashRaw(code, { ...options, salt }));
}
