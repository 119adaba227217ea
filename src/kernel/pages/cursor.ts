/** A cursor holds where a page ended. Its signature (HMAC) binds it to one list, so clients cannot change it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../problems/problem.ts';

declare module '../services.ts' {
  interface Services {
    readonly cursors: CursorSeal;
  }
}

const SEAL_BYTES = 16;

export class CursorSeal {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** `list` names everything the page depends on: the account, the endpoint, the filters and the sort. */
  write(list: string, position: readonly string[]): string {
    const payload = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.#seal(list, payload), payload]).toString('base64url');
  }

  read(list: string, cursor: string, length: number): string[] {
    const bytes = Buffer.from(cursor, 'base64url');
    const payload = bytes.subarray(SEAL_BYTES);
    const isOurs =
      bytes.length > SEAL_BYTES &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, SEAL_BYTES), this.#seal(list, payload));
    const position: unknown = isOurs ? JSON.parse(payload.toString()) : null;
    if (!Array.isArray(position) || position.length !== length) {
      throw new Problem('invalid_cursor', {
        detail: 'The cursor was changed, or it belongs to a list with different filters or a different sort.',
      });
    }
    return position.map(String);
  }

  #seal(list: string, payload: Buffer): Buffer {
    return createHmac('sha256', this.#secret)
      .update(list)
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, SEAL_BYTES);
  }
}
