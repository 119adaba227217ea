import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueKey } from '../../../kernel/access/key-format.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import { outcomeOf } from '../../../laws/responses.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import type { TicketMessage } from '../messages/schema.ts';
import type { Ticket } from '../tickets/schema.ts';
import { attachmentMoves } from './storage.ts';

const collection = '/support/v1/tickets';

let app: TestApp;
let account: TestAccount;
let key: TestKey;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
});

const newTicket = (more: object = {}) => ({
  subject: `Question number ${++serial}`,
  body: 'Since this morning the machine answers only sometimes.',
  category: 'technical',
  ...more,
});
const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  app.call({ method: 'POST', url, payload, headers, key: key.key });
const open = async (more: object = {}): Promise<Ticket> => {
  const response = await post(collection, newTicket(more));
  expect([response.statusCode, response.json().errors]).toEqual([201, undefined]);
  return response.json<Ticket>();
};
const reply = (id: string, payload: object = { body: 'It still happens.' }) =>
  post(`${collection}/${id}/messages`, payload);
const messagesOf = async (id: string) =>
  (await app.call({ url: `${collection}/${id}/messages`, key: key.key })).json<{ data: TicketMessage[] }>()
    .data;
const errorsOf = (response: LightMyRequestResponse) =>
  (response.json<{ errors: FieldError[] }>().errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);

const file = (filename: string, content: string | Buffer, content_type = 'text/plain') => ({
  filename,
  content_type,
  content_base64: Buffer.from(content).toString('base64'),
});

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const chunk = (type: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
};
const pdfOf = (content: string): Buffer => {
  const packed = deflateSync(Buffer.from(content));
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n1 0 obj <</Filter/FlateDecode>>\nstream\n'),
    packed,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
};

describe('a file', () => {
  const send = async (...attachments: object[]) => {
    const { id } = await open();
    return { id, response: await reply(id, { body: 'See the file.', attachments }) };
  };

  it('201: is downloaded by a link of five minutes, also after its bytes were moved to the store', async () => {
    const content = 'A log, with ümlauts.\n';
    const { id, response } = await send(file('größe "1".log'.replaceAll('"', ''), content));
    expect(response.json<TicketMessage>().attachments).toMatchObject([{ url: null, size_bytes: 22 }]);
    const link = async () => (await messagesOf(id))[1]?.attachments[0]?.url ?? '';
    const download = async (url: string) => app.call({ url: new URL(url).pathname + new URL(url).search });
    const before = await download(await link());
    expect([before.statusCode, before.body]).toEqual([200, content]);
    expect(before.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="gr__e 1.log"; filename*=UTF-8''gr%C3%B6%C3%9Fe%201.log`,
    });
    await attachmentMoves.run(app.services);
    const { rows } = await sql`select 1 from ticket_attachments where sealed is not null`.execute(
      app.services.db,
    );
    expect(rows).toEqual([]);
    expect((await download(await link())).body).toBe(content);
    const kept = await link();
    expect((await download(`${kept.slice(0, -4)}AAAA`)).statusCode).toBe(404);
    await sql`update api_keys set status = 'revoked', revoked_at = now() where id = ${key.id}`.execute(
      app.services.db,
    );
    // A download that begins before the process hears of it is cut off.
    const status = () =>
      download(kept).then(
        ({ statusCode }) => statusCode,
        () => 'cut off',
      );
    await vi.waitFor(async () => expect(await status()).toBe(404), { timeout: 60_000 });
  });

  it.each<[string, object, string]>([
    ['a PNG that calls itself text', file('a.txt', PNG), '/attachments/0/content_type incompatible'],
    ['an archive', file('a.png', 'PK\u0003\u0004', 'image/png'), '/attachments/0/content_type incompatible'],
    ['what is no JSON', file('a.json', '{', 'application/json'), '/attachments/0/content_type incompatible'],
    [
      'what is not base64',
      { ...file('a', ''), content_base64: 'a-_=' },
      '/attachments/0/content_base64 invalid_format',
    ],
    [
      'an encrypted PDF',
      file('a.pdf', '%PDF-1.7 /Encrypt 1 0 R', 'application/pdf'),
      '/attachments/0/content_base64 incompatible',
    ],
    ['a name with a path', file('../a.txt', 'text'), '/attachments/0/filename invalid_format'],
  ])('422: is refused if it is %s', async (_, attachment, error) => {
    expect(errorsOf((await send(attachment)).response)).toEqual([error]);
  });

  it.each<[string, () => object]>([
    ['text', () => file('a.log', `${'x'.repeat(90_000)} ${issueKey().key}\n`)],
    [
      'a PDF',
      () => file('a.pdf', pdfOf(`BT [(${issueKey().key.slice(0, 20)})5(never)] TJ ET`), 'application/pdf'),
    ],
    ['the strings of a PDF', () => file('a.pdf', pdfOf(splitKey(issueKey().key)), 'application/pdf')],
    [
      'the metadata of a PNG',
      () =>
        file('a.png', Buffer.concat([PNG, chunk('tEXt', Buffer.from(`k\0${issueKey().key}`))]), 'image/png'),
    ],
    [
      'the packed text of a PNG',
      () =>
        file(
          'a.png',
          Buffer.concat([
            PNG,
            chunk('zTXt', Buffer.concat([Buffer.from('k\0\0'), deflateSync(Buffer.from(issueKey().key))])),
          ]),
          'image/png',
        ),
    ],
    ['the comment of a JPEG', () => file('a.jpg', jpegWith(issueKey().key), 'image/jpeg')],
  ])('422 secret_in_text: is refused if %s has a key', async (_, make) => {
    const { response } = await send(make());
    expect([outcomeOf(response), ...errorsOf(response)]).toEqual([
      '422 secret_in_text',
      '/attachments/0/content_base64 hostplane_key',
    ]);
  });

  it('422: a picture is refused if its texts together are too large when they are unpacked', async () => {
    const text = Buffer.concat([Buffer.from('k\0\0'), deflateSync(Buffer.alloc(400_000, 'a '))]);
    const picture = (texts: number) =>
      file(
        'a.png',
        Buffer.concat([PNG, ...Array.from({ length: texts }, () => chunk('zTXt', text))]),
        'image/png',
      );
    expect((await send(picture(2))).response.statusCode).toBe(201);
    const { response } = await send(picture(3));
    expect(outcomeOf(response)).toBe('422 validation_failed');
    expect(response.json().errors[0].detail).toContain('too large when it is unpacked');
  });

  it('201: is accepted as PNG, JPEG and PDF without secrets', async () => {
    const { response } = await send(
      file(
        'a.png',
        Buffer.concat([PNG, chunk('IDAT', randomBytes(100)), chunk('IEND', Buffer.alloc(0))]),
        'image/png',
      ),
      file('b.jpg', jpegWith('made with a camera'), 'image/jpeg'),
      file('c.pdf', pdfOf('BT (Hello) Tj ET'), 'application/pdf'),
    );
    expect(response.statusCode).toBe(201);
  });
});

const splitKey = (text: string): string => `BT [(${text.slice(0, 30)})-2(${text.slice(30)})] TJ ET`;
const jpegWith = (comment: string): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(comment.length + 2);
  return Buffer.concat([
    Buffer.from('ffd8fffe', 'hex'),
    length,
    Buffer.from(comment),
    Buffer.from('ffda', 'hex'),
  ]);
};
