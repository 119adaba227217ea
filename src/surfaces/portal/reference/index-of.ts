/** The operations of the document by family and resource. */
import type { OpenApiDocument } from '../../openapi/model.ts';
import { type Entry, entriesOf } from '../../openapi/resolved.ts';

export interface IndexedFamily {
  readonly name: string;
  readonly description: string;
  readonly resources: readonly {
    readonly name: string;
    readonly title: string;
    readonly purpose: string;
    readonly operations: readonly {
      readonly id: string;
      readonly method: string;
      readonly path: string;
      readonly summary: string;
      readonly permission: string;
      readonly access: string;
    }[];
  }[];
}

const listed = ({ id, method, path, operation }: Entry) => ({
  id,
  method,
  path,
  summary: operation.summary,
  permission: operation['x-permission'],
  access: operation['x-access'],
});

export function indexOf(document: OpenApiDocument): IndexedFamily[] {
  const entries = entriesOf(document);
  return document['x-tagGroups'].map(({ name, description, tags }) => ({
    name,
    description,
    resources: tags.map((tag) => {
      const found = document.tags.find((each) => each.name === tag);
      return {
        name: tag,
        title: found?.['x-displayName'] ?? tag,
        purpose: found?.description ?? '',
        operations: entries.filter(({ operation }) => operation.tags.includes(tag)).map(listed),
      };
    }),
  }));
}
