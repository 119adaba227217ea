/** Signs requests to S3 with AWS Signature Version 4. */
import { createHash, createHmac } from 'node:crypto';

export interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

interface Unsigned {
  readonly method: string;
  readonly url: URL;
  /** All of them are signed, together with `host` and those that this file adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** The SHA-256 of the body, hexadecimal. */
  readonly bodySha256: string;
}

export const sha256Of = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** S3 wants more characters encoded than `encodeURIComponent` does. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const pathOf = ({ pathname }: URL): string =>
  pathname
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/');

function queryOf({ searchParams }: URL): string {
  const pairs = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.sort().join('&');
}

/** Returns all headers of the request, with its signature. */
export function sign(
  { method, url, headers, bodySha256 }: Unsigned,
  { accessKey, secretKey }: Keys,
  region: string,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': bodySha256,
    'x-amz-date': time,
  };
  const names = Object.keys(all).sort();
  const signed = names.join(';');
  const lines = names.map((name) => `${name}:${all[name]?.trim()}\n`).join('');
  const request = [method, pathOf(url), queryOf(url), lines, signed, bodySha256].join('\n');
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
  const key = scope.reduce<string | Buffer>((before, part) => hmac(before, part), `AWS4${secretKey}`);
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256Of(request)].join('\n');
  const signature = hmac(key, text).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope.join('/')},SignedHeaders=${signed},Signature=${signature}`;
  return { ...all, authorization };
}
