/** Files that can be downloaded with a link: a family makes the link and reads the file, the HTTP surface sends it. */
import type { Endpoint } from '../record.ts';

export interface Download {
  /** The account of the file. */
  readonly owner: string;
  /** The endpoint that makes links to such files. A link works only while its bearer may call it. */
  readonly endpoint: Endpoint;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The bytes from `from` until before `to`. */
  read(from: number, to: number, signal: AbortSignal): AsyncIterable<Buffer>;
}

export const DOWNLOAD_PATH = '/downloads/';

/** The token is in the query, because queries are never logged. */
export const downloadUrl = (baseUrl: string, linkId: string, token: string): string =>
  `${baseUrl}${DOWNLOAD_PATH}${linkId}?token=${token}`;
