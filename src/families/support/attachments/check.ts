/**
 * Checks the files of a request before anything of them is stored: size, type by content, and secrets in their texts.
 * Large texts are searched in parts, with a pause after each, because other requests wait meanwhile.
 */
import { createHash } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import { idPrefix } from '../../../kernel/ids.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { findSecrets, passwordsInUrls } from '../../../kernel/secret-text/find.ts';
import { secretKinds } from '../../../kernel/secret-text/formats.ts';
import type { Services } from '../../../kernel/services.ts';
import { typesOf } from './recognise.ts';
import { type ContentType, contentTypes, MOST_BYTES, type NewAttachment } from './schema.ts';
import { NotReadable, textsOf } from './texts.ts';

const newAttachmentId = idPrefix('ticket_attachment', 'att');

/** A file that was found harmless, encrypted. */
export interface CheckedFile {
  readonly id: string;
  readonly filename: string;
  readonly content_type: ContentType;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly sealed: Buffer;
}

const PART = 65_536;
/** Longer than any secret that is recognised. */
const OVERLAP = 20_000;

const URL_PASSWORD = 'A password in a URL.';

/** What a text of a ticket must not contain, each with its place. */
export const secretsIn = (text: string): Pick<FieldError, 'code' | 'detail' | 'offset' | 'length'>[] => [
  ...findSecrets(text).map(({ kind, ...place }) => ({
    code: kind,
    detail: `Contains a secret: ${secretKinds[kind]}`,
    ...place,
  })),
  ...passwordsInUrls(text).map((place) => ({
    code: 'password_in_url' as const,
    detail: `Contains a secret: ${URL_PASSWORD}`,
    ...place,
  })),
];

async function errorsInText(
  text: string,
  pointer: string,
  filename: string,
  hasLines: boolean,
): Promise<FieldError[]> {
  for (let from = 0; from < text.length; from += PART) {
    const part = text.slice(from, from + PART + OVERLAP);
    const [found] = secretsIn(part);
    if (found !== undefined) {
      const line = text.slice(0, from + (found.offset ?? 0)).split('\n').length;
      const where = hasLines ? `Line ${line} of the file` : 'The file';
      const what =
        found.code === 'password_in_url' ? URL_PASSWORD : secretKinds[found.code as keyof typeof secretKinds];
      return [{ pointer, code: found.code, detail: `${where} ${filename} contains a secret: ${what}` }];
    }
    await pause();
  }
  return [];
}

async function errorsInFile(bytes: Buffer, { filename, content_type }: NewAttachment, pointer: string) {
  const hasLines = content_type.startsWith('text/') || content_type === 'application/json';
  try {
    for await (const text of textsOf(content_type, bytes)) {
      const errors = await errorsInText(text, pointer, filename, hasLines);
      if (errors.length > 0) return errors;
    }
    return [];
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    const detail = `The file cannot be searched for secrets. ${error.message}`;
    return [{ pointer, code: 'incompatible' as const, detail }];
  }
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decoded(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

function formErrors(file: NewAttachment, bytes: Buffer | undefined, at: string): FieldError[] {
  const refuse = (member: string, code: FieldError['code'], detail: string): FieldError[] => [
    { pointer: `${at}/${member}`, code, detail },
  ];
  if (bytes === undefined) return refuse('content_base64', 'invalid_format', 'Must be base64.');
  if (bytes.length === 0) return refuse('content_base64', 'too_short', 'The file is empty.');
  if (bytes.length > MOST_BYTES)
    return refuse('content_base64', 'too_long', `A file may have ${MOST_BYTES} bytes at most.`);
  const types = typesOf(bytes);
  if (types.includes(file.content_type)) return [];
  const [is] = types;
  const detail =
    is === undefined
      ? `The content is none of: ${Object.keys(contentTypes).join(', ')}. Text has to be UTF-8.`
      : `The content is ${is}, not ${file.content_type}.`;
  return refuse('content_type', 'incompatible', detail);
}

/** Throws 422 unless all files can be accepted. */
export async function checkFiles(
  { secrets }: Pick<Services, 'secrets'>,
  files: readonly NewAttachment[],
): Promise<CheckedFile[]> {
  const faults: FieldError[] = [];
  const exposed: FieldError[] = [];
  const checked: CheckedFile[] = [];
  for (const [i, file] of files.entries()) {
    const at = `/attachments/${i}`;
    const bytes = decoded(file.content_base64);
    const errors = formErrors(file, bytes, at);
    faults.push(...errors);
    if (errors.length > 0 || bytes === undefined) continue;
    for (const error of await errorsInFile(bytes, file, `${at}/content_base64`))
      (error.code === 'incompatible' ? faults : exposed).push(error);
    const id = newAttachmentId();
    checked.push({
      id,
      filename: file.filename,
      content_type: file.content_type,
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      sealed: secrets.close(bytes, id),
    });
    await pause();
  }
  if (exposed.length > 0) throw new Problem('secret_in_text', { errors: exposed });
  if (faults.length > 0) throw invalid(faults);
  return checked;
}
