/** Reads the 224 agreed endpoints from `endpoints.tsv` in this folder. */
import { readFileSync } from 'node:fs';
import { familyNames } from '../kernel/families.ts';

export interface ContractRow {
  readonly family: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly permission: string;
  readonly mode: string;
}

function readRow(line: string): ContractRow {
  const [family = '', method = '', path = '', operationId = '', permission = '', mode = ''] =
    line.split('\t');
  return { family, method, path, operationId, permission, mode };
}

const [head = '', ...lines] = readFileSync(new URL('endpoints.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

export const contractColumns: readonly string[] = head.split('\t');
export const contract: readonly ContractRow[] = lines.map(readRow);
export const contractTriples: readonly string[] = [...new Set(contract.map(({ permission }) => permission))];
export const productFamilies: readonly string[] = familyNames.filter((name) => name !== 'account');
