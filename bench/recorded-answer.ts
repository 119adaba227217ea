/** Records an answer of the product, so that a baseline can send the same bytes. */
import { request } from 'node:http';
import type { Ask } from './requests.ts';

export interface Recording {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers that Node adds to every answer itself. */
const AUTOMATIC = new Set(['date', 'connection', 'keep-alive']);

export function record(port: number, { path, key, address }: Ask): Promise<Recording> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': address, ...(key === undefined ? {} : { 'x-api-key': key }) };
    const asking = request({ port, host: '127.0.0.1', path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => {
        const kept = Object.entries(response.headers).filter(([name]) => !AUTOMATIC.has(name));
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(kept) as Recording['headers'],
          body,
        });
      });
    });
    asking.on('error', reject).end();
  });
}
