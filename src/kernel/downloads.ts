/** Files that can be downloaded with a link: a family makes the link and reads the file, the HTTP surface sends it. */

export interface Download {
  /** The account of the file. */
  readonly owner: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The bytes from `from` until before `to`. */
  read(from: number, to: number, signal: AbortSignal): AsyncIterable<Buffer>;
}

export const DOWNLOAD_PATH = '/downloads/';

/** The token is in the query, because queries are never logged. */
export const downloadUrl = (baseUrl: string, id: string, token: string): string =>
  `${baseUrl}${DOWNLOAD_PATH}${id}?token=${token}`;
