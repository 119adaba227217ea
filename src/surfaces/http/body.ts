/** Reads a request body: uncompressed JSON in UTF-8, within limits of size and time. */
import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../kernel/body/json.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { readHeader } from './read-header.ts';

export interface BodyLimits {
  readonly bytes: number;
  readonly milliseconds: number;
}

const JSON_TYPE = /^application\/(merge-patch\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function refuseForeignMedia(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', {
      detail: `The body is encoded as ${encoding.slice(0, 40)}; send it uncompressed.`,
    });
  }
  const type = request.headers['content-type'];
  const json = type === undefined ? null : JSON_TYPE.exec(type);
  if (json === null) {
    throw new Problem('unsupported_media_type', {
      detail: type === undefined ? 'The body has no Content-Type.' : `The body is ${type.slice(0, 80)}.`,
    });
  }
  if (json[1] !== undefined && request.method !== 'PATCH') {
    throw new Problem('unsupported_media_type', { detail: 'A merge patch is a body for PATCH only.' });
  }
}

function tooLarge(bytes: number): Problem {
  return new Problem('payload_too_large', {
    detail: `The body may have at most ${bytes} bytes.`,
    extra: { limit_bytes: bytes },
  });
}

function collect(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', whole).off('error', broken).off('close', gone);
      settle();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limits.bytes) end(() => reject(tooLarge(limits.bytes)));
      else chunks.push(chunk);
    };
    const whole = (): void => end(() => resolve(Buffer.concat(chunks)));
    const broken = (error: Error): void =>
      end(() => reject(new Problem('malformed_request', { detail: 'The body ended early.', cause: error })));
    const gone = (): void => broken(new Error('closed'));
    const timer = setTimeout(() => end(() => reject(new Problem('request_timeout'))), limits.milliseconds);
    request.on('data', take).on('end', whole).on('error', broken).on('close', gone);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('malformed_request', { detail: 'The body is not valid UTF-8.' });
  }
}

/** Whether the headers of the request announce a body. */
export function announcesBody(request: IncomingMessage): boolean {
  const length = readHeader(request, 'content-length');
  return (length !== undefined && length !== '0') || readHeader(request, 'transfer-encoding') !== undefined;
}

/** The body as it came, whatever its media type. */
export async function readBytes(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (Number(request.headers['content-length']) > limits.bytes) throw tooLarge(limits.bytes);
  return collect(request, limits);
}

/** For requests that announce a body. Returns undefined if the body is empty. */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  refuseForeignMedia(request);
  const bytes = await readBytes(request, limits);
  return bytes.length === 0 ? undefined : parseJson(decode(bytes));
}
