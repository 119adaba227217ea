/** Keeps one resource of an answer within the budget, so that what is missing can be read, and sent back. */
import { managedResource, membersOf } from '../../kernel/managed-resource.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { rowSchema } from './fields.ts';
import { BUDGET, shorten, sizeOf } from './fit.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { cutLists, type Part } from './left-out.ts';

export const isTrial = ({ body }: Pick<Outcome, 'body'>): boolean =>
  (body as { dry_run?: unknown } | null)?.dry_run === true;

const READ_ON =
  'An item with left_out stands for the items it names. Read them with cursor set to its text. Sent back in the body of an update, it stands for them unchanged: keep it.';

interface Cut {
  readonly value: unknown;
  /** Says what was left out; undefined if nothing was. */
  readonly truncated?: { readonly shortened: readonly string[]; readonly next_step: string };
}

export interface FitOptions {
  readonly budget?: number;
  /** What is read on with. */
  readonly part?: Part | undefined;
}

/** Whether the answer shows a resource that can be changed, so that it may be sent back. */
function canBeSentBack({ services: { registry } }: ApiCaller, { endpoint, status }: Outcome): boolean {
  const managed = managedResource(endpoint.resource.name, registry.endpoints);
  if (managed?.updater === undefined) return false;
  const answer = endpoint.answers[status as keyof Endpoint['answers']];
  const members = membersOf(rowSchema(answer) ?? answer);
  return Object.keys(managed.shape.properties).every((name) => Object.hasOwn(members, name));
}

/** Within the budget. Lists lose items, which can be read. Of texts that nobody sends back, the end is kept. */
export function fitted(
  api: ApiCaller,
  whole: unknown,
  outcome: Outcome,
  { budget = BUDGET, part }: FitOptions = {},
): Cut {
  if (part === undefined && sizeOf(whole) <= budget) return { value: whole };
  if (isTrial(outcome)) {
    const { value, left } = shorten(whole, budget);
    return { value, truncated: { shortened: left, next_step: 'Name the members you need in fields.' } };
  }
  const isSettable = canBeSentBack(api, outcome);
  const { value, cut } = cutLists(whole, outcome.body, { budget, keepsEnd: !isSettable, part });
  const short = isSettable ? { value, left: [] } : shorten(value, budget, ['text']);
  const shortened = [...cut.map((list) => `${list}: a part`), ...short.left];
  if (shortened.length === 0) return { value };
  const next_step = cut.length > 0 ? READ_ON : 'Name the members you need in fields.';
  return { value: short.value, truncated: { shortened, next_step } };
}
