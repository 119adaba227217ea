/** The seven tools as a model sees them. Each word costs every session, so they say only what a model must know. */
import { Shape, type TObject, Type } from '../../kernel/schema.ts';

const Text = (description?: string) => Type.String(description === undefined ? {} : { description });
const Anything = (description?: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    ...(description === undefined ? {} : { description }),
  });
const Whole = (minimum: number, maximum: number, preset: number) =>
  Type.Integer({ minimum, maximum, default: preset });
const optional = Type.Optional;

const Nothing = Shape({});

const Query = Shape({
  query: optional(Text('What you want to do, in your words; or a path, permission or error code')),
  family: optional(Text()),
  callable_only: optional(Type.Boolean({ default: true })),
  limit: optional(Whole(1, 20, 8)),
});

const Ids = Shape({ ids: Type.Array(Text(), { minItems: 1, maxItems: 5 }) });

const target = {
  operation: Text(),
  path: optional(Anything()),
  query: optional(Anything()),
  fields: optional(Type.Array(Text(), { description: 'Only these members' })),
};

const Read = Shape({
  ...target,
  limit: optional(Whole(1, 200, 20)),
  cursor: optional(Text()),
  body: optional(Anything()),
});

const change = {
  ...target,
  operation: optional(Text()),
  calls: optional(
    Type.Array(Anything(), {
      minItems: 1,
      maxItems: 10,
      description: 'Instead: several {operation, path, query, body}; "$0.id" is from the answer of the first',
    }),
  ),
  body: optional(Anything()),
  dry_run: optional(Type.Boolean({ description: 'Say what would happen and cost; change nothing' })),
  idempotency_key: optional(Text('Makes a repeat safe')),
  if_match: optional(Text('etag: refuse if it changed since')),
  approval_id: optional(Text('Approved operation id')),
  wait_seconds: optional(Whole(0, 60, 0)),
  confirm: optional(Text('confirm_with of the rehearsal')),
};
const Change = Shape(change);

const Wait = Shape({
  operation_ids: Type.Array(Text(), { minItems: 1, maxItems: 20 }),
  timeout_seconds: optional(Whole(0, 60, 30)),
});

export type ToolName =
  | 'get_context'
  | 'search_operations'
  | 'describe_operations'
  | 'call_read'
  | 'call_write'
  | 'call_destructive'
  | 'wait_operations';

export interface Tool {
  readonly name: ToolName;
  readonly description: string;
  readonly input: TObject;
  /** What to send, said only to a model whose input is not valid. */
  readonly needs?: string;
  readonly hints: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean };
}

const reads = { readOnlyHint: true } as const;

export const tools: readonly Tool[] = [
  {
    name: 'get_context',
    description:
      'Who you are: key, permissions, expiry, rate left, locations, callable operations per family.',
    input: Nothing,
    hints: reads,
  },
  {
    name: 'search_operations',
    description: 'Find the operation for a task. Each hit names the tool to call it with and its input.',
    input: Query,
    hints: reads,
  },
  {
    name: 'describe_operations',
    description: 'Input, example, answer, errors, cost and reversibility of operations.',
    input: Ids,
    needs: 'Send ids: the names of one to five operations, as search_operations shows them.',
    hints: reads,
  },
  {
    name: 'call_read',
    description: 'Call an operation that only reads. The id "*" reads each: getVmMetrics of all machines.',
    input: Read,
    hints: reads,
  },
  {
    name: 'call_write',
    description:
      'Call an operation that creates or changes. May cost money: dry_run first. What loosens a protection or loses something for good needs confirm.',
    input: Change,
    hints: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: 'call_destructive',
    description:
      'Call an operation that destroys. Without confirm it changes nothing and tells what would be lost and what to confirm with.',
    input: Change,
    hints: { readOnlyHint: false, destructiveHint: true },
  },
  {
    name: 'wait_operations',
    description: 'Wait until operations end, or a person decides on approvals.',
    input: Wait,
    needs:
      'Send operation_ids: the ids of one to 20 operations (op_…). Answers with status 202 have one in operation; call_read listOperations lists them.',
    hints: reads,
  },
];

export const isOffered = ({ hints }: Tool, isReadOnly: boolean): boolean => !isReadOnly || hints.readOnlyHint;
