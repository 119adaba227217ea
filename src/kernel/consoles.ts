/** Consoles of machines: a family opens the byte stream to the machine, the HTTP surface relays it to the client. */
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Endpoint } from './record.ts';

/** An API key, or a person with a portal session in an account. */
export type Bearer =
  | { readonly keyPublicId: string }
  | { readonly sessionId: string; readonly accountId: string };

/** A session whose token is valid and not used yet. */
export interface ConsoleSession {
  /** Who created the session by calling `endpoint`. The console lasts only while the bearer may do so. */
  readonly bearer: Bearer;
  readonly endpoint: Endpoint;
  /** Uses up the token and opens the stream. Null: another client used the token first. */
  open(): Promise<ConsoleLine | null>;
}

export interface ConsoleLine {
  readonly resource: { readonly type: string; readonly id: string };
  readonly stream: Duplex;
  /** Called periodically while a client is connected. False: the console must be closed. */
  keep(): Promise<boolean>;
  /** Called once, after the client disconnected. */
  close(): Promise<void>;
}

export const CONSOLE_PATH = '/console/';

/** A client offers two WebSocket subprotocols: this one, and the token with its prefix. So no URL holds the token. */
export const CONSOLE_PROTOCOL = 'hostplane.console';
export const TOKEN_PREFIX = 'hostplane.token.';

const TOKEN_BYTES = 32;

export const newConsoleToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

export const hashConsoleToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const consoleUrl = (baseUrl: string, sessionId: string): string =>
  `${baseUrl.replace(/^http/, 'ws')}${CONSOLE_PATH}${sessionId}`;
