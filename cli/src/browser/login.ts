/**
 * Gets a key by the browser: a signed-in person allows it on a page of the portal, which gives a code that works once.
 * The code is exchanged with a secret of this process (PKCE, RFC 7636), so it is of no use to anybody else who sees it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { Client, Refused } from '../http/client.ts';
import type { Target } from '../http/connection.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import { pause } from '../pause.ts';
import { type Loopback, listenForCode } from './loopback.ts';
import { browserOf, openBrowser, portalOf } from './portal.ts';

const LONGEST_MS = 5 * 60_000;
const LONGEST_NAME = 64;

export interface NewKey {
  readonly key: { readonly name: string };
  readonly secret: string;
}

const random = (): string => randomBytes(32).toString('base64url');

/** The portal shows it, so that the person can tell which computer asks. */
export const computerName = (name: string = hostname()): string =>
  printable(name).replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_NAME).trim() || 'unnamed';

/** The person can paste the code. Whoever enters nothing waits for the browser, if it can bring the code. */
async function askForCode(io: Io, loopback: Loopback | null, over: AbortSignal): Promise<string> {
  const typed = await io.ask('Code from the browser: ', over);
  if (typed !== '') return typed;
  if (loopback === null && !over.aborted) throw new Failure('There is no code.', exitCodes.usage);
  return new Promise(() => undefined);
}

export async function waitForCode(
  io: Io,
  loopback: Loopback | null,
  longestMs: number = LONGEST_MS,
): Promise<string> {
  const over = new AbortController();
  const late = async (): Promise<never> => {
    await pause(longestMs, AbortSignal.any([io.interrupted, over.signal]));
    throw new Failure(
      'Nobody allowed the login in the browser in time. Run hostplane login again.',
      exitCodes.timedOut,
    );
  };
  try {
    return await Promise.race([
      late(),
      askForCode(io, loopback, over.signal),
      ...(loopback === null ? [] : [loopback.code]),
    ]);
  } finally {
    over.abort();
  }
}

/** The portal takes changes only from its own origin, which a program can name and a foreign page cannot. */
async function exchange(io: Io, portal: string, target: Target, grant: object): Promise<NewKey> {
  const { origin } = new URL(portal);
  const client = new Client({ url: origin, caFile: target.caFile }, io);
  try {
    const path = '/portal/v1/cli-logins/complete';
    const body = JSON.stringify(grant);
    const { body: made } = await client.call({ method: 'POST', path, body, headers: { origin } });
    return made as NewKey;
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.code !== 'link_not_valid') throw error;
    throw new Failure(
      'The code does not work: it was used already, is older than two minutes, or was not copied completely. Run hostplane login again.',
      exitCodes.keyRefused,
    );
  } finally {
    client.close();
  }
}

async function findPortal(io: Io, target: Target): Promise<string> {
  const client = new Client(target, io);
  try {
    return await portalOf(client);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== exitCodes.notFound) throw error;
    throw new Failure(`${error.message} With a key: hostplane login --no-browser`, error.code);
  } finally {
    client.close();
  }
}

/** `target` has no key yet. */
export async function loginByBrowser(io: Io, target: Target): Promise<NewKey> {
  const portal = await findPortal(io, target);
  const verifier = random();
  const state = random();
  const browser = browserOf(io);
  // Without a browser on this computer, nobody could bring the code here: the person pastes it.
  const loopback = browser === null ? null : await listenForCode(state).catch(() => null);
  try {
    const query = new URLSearchParams({
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      computer: computerName(),
      ...(loopback === null ? {} : { port: String(loopback.port), state }),
    });
    const address = `${portal}/cli-login?${query}`;
    const where = browser === null ? 'Open this page in a browser' : 'Your browser opens this page';
    io.err(`${where}. Allow the login there:\n\n  ${address}\n\n`);
    if (browser !== null) {
      io.err('If the browser is on another computer, paste the code that the page shows.\n');
      await openBrowser(browser, address);
    }
    const code = await waitForCode(io, loopback);
    io.err('\n');
    return await exchange(io, portal, target, { code, verifier });
  } finally {
    loopback?.close();
  }
}
