import {
  byProvider,
  Id,
  label,
  Named,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Type,
} from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';

export const contentTypes = {
  'text/plain': 'Text, such as a log.',
  'text/csv': 'A table as comma-separated values.',
  'application/json': 'Structured data.',
  'application/pdf': 'A document with pages.',
  'image/png': 'A picture, such as a screenshot.',
  'image/jpeg': 'A picture, such as a photo.',
} as const;
export type ContentType = keyof typeof contentTypes;

export const MOST_BYTES = 5 * 1024 * 1024;
export const MOST_FILES = 5;
/** Of a call with as many files as are allowed, in base64. */
export const BODY_LIMIT_BYTES = 36 * 1024 * 1024;
export const LINK_SECONDS = 300;

const Filename = Type.String({
  minLength: 1,
  maxLength: 128,
  ...written(
    '^[^\\u0000-\\u001f\\u007f/\\\\"<>|:*?]+$',
    'A name of a file has no slashes, quotes, angle brackets, control characters, colons, bars, stars or question marks.',
  ),
  description: 'The name of the file, without a path.',
});
const Kind = Named(
  'TicketFileType',
  OneOf(contentTypes, {
    description: 'What the file is. It has to agree with the content. Archives are not accepted.',
  }),
);

export const NewAttachment = Named(
  'NewTicketAttachment',
  Shape({
    filename: Filename,
    content_type: Kind,
    content_base64: Type.String({
      minLength: 4,
      maxLength: Math.ceil(MOST_BYTES / 3) * 4,
      writeOnly: true,
      ...label('Content'),
      description: `The file in base64, at most ${MOST_BYTES / 1024 / 1024} MiB of bytes. Texts in it must not contain a secret.`,
    }),
  }),
);
export type NewAttachment = Static<typeof NewAttachment>;

export const NewAttachments = Type.Optional(
  Type.Array(NewAttachment, {
    maxItems: MOST_FILES,
    default: [],
    description: 'Files that belong to the message.',
  }),
);

export const Attachment = Named(
  'TicketAttachment',
  Shape({
    id: Id('att', { description: 'The id of the file.' }),
    filename: Filename,
    content_type: Kind,
    size_bytes: Type.Integer({ 'x-unit': 'bytes', description: 'The size of the file.' }),
    sha256: Type.String({ ...byProvider, description: 'The SHA-256 of the file, hexadecimal.' }),
    url: Nullable(
      Type.String({
        ...byProvider,
        format: 'uri',
        description:
          'Downloads the file. It works for five minutes, only as long as whoever read it may read the messages. Null in answers of calls that write: read the messages for links.',
      }),
    ),
  }),
);
export type Attachment = Static<typeof Attachment>;
