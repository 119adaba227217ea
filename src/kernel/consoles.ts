/** Consoles of machines: a family opens the byte stream to the machine, the HTTP surface relays it to the client. */
import type { Duplex } from 'node:stream';
import type { HandedOut } from './access/bearer.ts';
import { CONSOLE_PATH } from './console-protocol.ts';

/** A session whose token is valid and not used yet. */
export interface ConsoleSession extends HandedOut {
  /** Uses up the token and opens the stream. Null: another client used the token first. */
  open(): Promise<ConsoleLine | null>;
}

export interface ConsoleLine {
  readonly resource: { readonly type: string; readonly id: string };
  readonly stream: Duplex;
  /**
   * Called periodically while a client is connected, and when something changed in the account. False: the console must
   * be closed.
   */
  keep(): Promise<boolean>;
  /** Called once, after the client disconnected. */
  close(): Promise<void>;
}

export const consoleUrl = (baseUrl: string, sessionId: string): string =>
  `${baseUrl.replace(/^http/, 'ws')}${CONSOLE_PATH}${sessionId}`;
