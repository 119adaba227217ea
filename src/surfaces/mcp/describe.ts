/** What a model has to know to make one call, from the record. */
import type { Caller } from '../../kernel/access/caller.ts';
import { needsApproval } from '../../kernel/approvals/needs-approval.ts';
import { type Endpoint, isAsync } from '../../kernel/record.ts';
import type { Registry } from '../../kernel/registry.ts';
import { queryShapeOf } from '../../pipeline/input.ts';
import { linesOf, type Plain, signatureOf, typeOf } from './notation.ts';

export type CallTool = 'call_read' | 'call_write' | 'call_destructive';

/** Fails closed: what is neither a read nor a plain write is destructive. */
export function toolFor({ access }: Pick<Endpoint, 'access'>): CallTool {
  return access === 'read' ? 'call_read' : access === 'write' ? 'call_write' : 'call_destructive';
}

/** Tools have members of their own for these. */
const TOOL_MEMBERS = ['dry_run', 'wait', 'limit', 'cursor'];

function queryOf(endpoint: Endpoint): Plain {
  const { properties, required = [] } = queryShapeOf(endpoint) as unknown as Plain;
  const own = Object.entries(properties ?? {}).filter(([name]) => !TOOL_MEMBERS.includes(name));
  // A parameter with a default may be left out.
  const musts = required.filter((name) => properties?.[name]?.default === undefined);
  return { properties: Object.fromEntries(own), required: musts };
}

const pathOf = ({ path }: Endpoint): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

export function signature(endpoint: Endpoint): string {
  const path = pathOf(endpoint);
  const query = signatureOf(queryOf(endpoint), 6);
  const body = endpoint.body === undefined ? '' : signatureOf(endpoint.body as Plain);
  return [
    ...(path.length === 0 ? [] : [`path: {${path.join(', ')}}`]),
    ...(query === '' ? [] : [`query: ${query}`]),
    ...(body === '' ? [] : [`body: ${body}`]),
  ].join(', ');
}

export interface Standing {
  readonly callable: boolean;
  readonly missing?: string;
  readonly because?: readonly string[];
  readonly approval?: true;
}

/** Whether the key may call it, and which permission it lacks. */
export function standingOf(caller: Caller, endpoint: Endpoint): Standing {
  const { allowed, deniedBy } = caller.decide(endpoint);
  if (!allowed) return { callable: false, missing: endpoint.permission, because: deniedBy };
  return { callable: true, ...(needsApproval(caller, endpoint) ? { approval: true } : {}) };
}

function costOf({ raisesCost, lowersCost, access }: Endpoint): string {
  if (access === 'read') return 'free';
  if (raisesCost === true) return 'raises the bill; dry_run shows the amount';
  if (raisesCost === 'sometimes') return 'can raise the bill; dry_run shows the amount';
  return lowersCost ? 'can lower the bill' : 'no charge';
}

function reversibleOf({ access, resource: { name, role }, path }: Endpoint, { endpoints }: Registry): string {
  if (access === 'read') return 'changes nothing';
  if (access === 'destructive') return 'no; dry_run says what is lost';
  const undo = endpoints.find(
    (other) => other.resource.name === name && other.resource.role === 'delete' && role === 'create',
  );
  if (undo !== undefined && path !== undo.path) return `yes, with ${undo.id}`;
  return role === 'update' || role === 'declare'
    ? 'yes, by another change'
    : 'depends; dry_run lists the effects';
}

const linesIn = (schema: unknown): string => linesOf(schema as Plain).join('\n');

/** The answer that a successful call has in the end. */
function answerOf({ answers }: Endpoint): string {
  const schema = (answers[200] ?? answers[201] ?? answers[202]) as Plain | null | undefined;
  if (schema === undefined || schema === null) return 'nothing';
  const list = schema.properties?.['data']?.items;
  const { properties } = list ?? schema;
  if (properties === undefined) return typeOf(list ?? schema);
  const names = Object.keys(properties).join(', ');
  return list === undefined ? names : `rows of: ${names}`;
}

/** Longer than a model needs: the names of the members are in the schema. */
const LONGEST_EXAMPLE = 1500;

function exampleOf({ example: { params, query, body } }: Endpoint): object | undefined {
  const example = {
    ...(params === undefined ? {} : { path: params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
  };
  return JSON.stringify(example).length > LONGEST_EXAMPLE ? undefined : example;
}

export function describe(endpoint: Endpoint, registry: Registry, caller: Caller): object {
  const { id, method, path, summary, description, permission, body, problems } = endpoint;
  const query = linesIn(queryOf(endpoint));
  const example = exampleOf(endpoint);
  return {
    operation: id,
    call_with: toolFor(endpoint),
    http: `${method} ${path}`,
    summary,
    ...(description === undefined ? {} : { description }),
    permission,
    ...standingOf(caller, endpoint),
    input: {
      ...(pathOf(endpoint).length === 0 ? {} : { path: pathOf(endpoint) }),
      ...(query === '' ? {} : { query }),
      ...(body === undefined ? {} : { body: linesIn(body) }),
    },
    ...(example === undefined ? {} : { example }),
    answer: answerOf(endpoint),
    errors: problems,
    cost: costOf(endpoint),
    reversible: reversibleOf(endpoint, registry),
    ...(isAsync(endpoint) ? { runs_as_operation: endpoint.startsSometimes ? 'sometimes' : true } : {}),
  };
}
