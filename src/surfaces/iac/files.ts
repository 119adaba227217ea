/** All that is made from one document for infrastructure as code: the same document gives the same bytes. */
import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../openapi/model.ts';
import { detailsIn } from './ansible/details.ts';
import { ansibleFiles, ansibleParts } from './ansible/files.ts';
import { tarGz } from './archive.ts';
import { iacModel } from './model.ts';
import type { Part } from './parts.ts';
import { terraformFiles, terraformParts } from './terraform/files.ts';

export interface IacFile {
  readonly path: string;
  readonly body: Buffer;
  readonly sha256: string;
}

export const ARCHIVE = 'hostplane-iac.tar.gz';

/** The parts that Terraform fetches alone: `terraform/modules/vm/…` is also `terraform/modules/vm.tar.gz`. */
const partOf = (path: string): string | undefined => /^terraform\/modules\/[^/]+/.exec(path)?.[0];

const fileOf = (path: string, body: Buffer): IacFile => ({
  path,
  body,
  sha256: createHash('sha256').update(body).digest('hex'),
});

interface Iac {
  readonly files: readonly IacFile[];
  readonly parts: readonly Part[];
}

/** `hash` is that of the document, as the ETag of `/openapi.json` has it. */
export function iacOf(document: OpenApiDocument, hash: string): Iac {
  const model = iacModel(document);
  const detailsOf = detailsIn(document);
  return {
    files: packed({ ...terraformFiles(model, hash), ...ansibleFiles({ model, document, detailsOf, hash }) }),
    parts: [...terraformParts(model), ...ansibleParts(model, detailsOf)],
  };
}

/** The texts as files, and the archives with them. */
function packed(texts: Readonly<Record<string, string>>): IacFile[] {
  const paths = Object.keys(texts).sort();
  const parts = [...new Set(paths.flatMap((path) => partOf(path) ?? []))];
  const inside = (folder: string): Record<string, string> =>
    Object.fromEntries(
      paths
        .filter((path) => path.startsWith(folder))
        .map((path) => [path.slice(folder.length), texts[path] ?? '']),
    );
  return [
    ...paths.map((path) => fileOf(path, Buffer.from(texts[path] ?? ''))),
    ...parts.map((part) => fileOf(`${part}.tar.gz`, tarGz(inside(`${part}/`)))),
    fileOf(ARCHIVE, tarGz(inside(''))),
  ];
}
