/** What all records of a resource have in common. It follows from the view of the resource and the role of the record. */
import type { ProblemCode } from '../../kernel/problems/catalogue.ts';
import type { TObject } from '../../kernel/schema.ts';
import type { OwnedTableName } from '../owned/table.ts';
import type { View } from './view.ts';
import { plural, withArticle } from './words.ts';

export interface Head {
  readonly id: string;
  /** Left out: `List volumes`, `Change a volume`. */
  readonly summary?: string;
  readonly description?: string;
  readonly problems?: readonly ProblemCode[];
  /** For parameters that are more than an id. */
  readonly params?: TObject;
}

const roles = {
  list: { method: 'GET', verb: 'List', permission: 'read', access: 'read' },
  read: { method: 'GET', verb: 'Get', permission: 'read', access: 'read' },
  create: { method: 'POST', verb: 'Create', permission: 'write', access: 'write' },
  update: { method: 'PATCH', verb: 'Change', permission: 'write', access: 'write' },
  declare: { method: 'PUT', verb: 'Set', permission: 'write', access: 'write' },
  delete: { method: 'DELETE', verb: 'Delete', permission: 'delete', access: 'destructive' },
} as const;

export function headOf<S extends TObject, Row, T extends OwnedTableName, R extends keyof typeof roles>(
  view: View<S, Row, T>,
  role: R,
  { id, summary, description, problems = [], params }: Head,
) {
  const { method, verb, permission, access } = roles[role];
  const { type, words } = view.source;
  const one = view.one === view.collection ? `the ${words}` : withArticle(words);
  const isOfAll = role === 'list' || role === 'create';
  const place = isOfAll ? view.collection : view.one;
  const hasParams = params !== undefined || Object.keys(place.example).length > 0;
  return {
    id,
    method,
    path: place.path,
    summary: summary ?? `${verb} ${role === 'list' ? plural(words) : one}`,
    ...(description === undefined ? {} : { description }),
    permission: view.permission(permission),
    access,
    resource: { name: type, role },
    ...(hasParams && { params: params ?? place.params }),
    problems,
    /** The parameters of the example. */
    example: hasParams ? { params: place.example } : {},
  };
}
