/** Consoles of machines: a family knows what is at the other end, a surface carries what is said. */
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';

export interface ConsoleLine {
  readonly resource: { readonly type: string; readonly id: string };
  readonly stream: Duplex;
  /** From time to time while somebody is on it. False: it is to be hung up. */
  keep(): Promise<boolean>;
  /** Once nobody is. */
  close(): Promise<void>;
}

export const CONSOLE_PATH = '/console/';

/** The subprotocol that is spoken, and the prefix of the one that carries the token: neither is part of a URL. */
export const CONSOLE_PROTOCOL = 'hostplane.console';
export const TOKEN_PREFIX = 'hostplane.token.';

const TOKEN_BYTES = 32;

export const newConsoleToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

export const hashConsoleToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const consoleUrl = (baseUrl: string, sessionId: string): string =>
  `${baseUrl.replace(/^http/, 'ws')}${CONSOLE_PATH}${sessionId}`;
