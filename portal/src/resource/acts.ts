/** What can be done with a resource, and why something cannot be done just now. */
import type { WhyNot } from '../data/access.ts';
import { type Noun, type NounCall, singularOf } from '../data/nouns.ts';
import type { Resource } from '../data/product.ts';
import { inSentence } from '../data/words.ts';
import type { Schema } from '../form/document.ts';
import { actsOf } from './act-labels.ts';
import { statesFor, statesOf } from './values.ts';

export interface Act {
  readonly label: string;
  readonly call: NounCall;
  /** Members of the body that this act decides, such as `type` of the power actions. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** The only members that the form asks for; the others stay as they are. Default: all. */
  readonly members?: readonly string[];
  readonly isDanger: boolean;
  /** Why it cannot be done now. */
  readonly why: string | undefined;
}

function whyNotInState(call: NounCall, noun: Noun, row: Resource, status: Schema | undefined) {
  const states = statesFor(statesOf(status), call.id);
  if (states === undefined || states.includes(String(row['status']))) return undefined;
  return `Possible only while the ${inSentence(singularOf(noun))} is ${states.join(' or ').replaceAll('_', ' ')}.`;
}

/** Whether the call is possible with such a row at all: a row of the provider cannot be deleted. */
export const isFor = ({ only = {} }: NounCall, row: Resource): boolean =>
  Object.entries(only).every(([name, value]) => row[name] === undefined || row[name] === value);

/** `status` is the schema of the status; undefined for resources without one. */
export function actsFor(
  noun: Noun,
  row: Resource,
  status: Schema | undefined,
  whyNot: WhyNot,
): readonly Act[] {
  const act = (call: NounCall, label: string, fixed: Act['fixed']): Act => ({
    label,
    call,
    fixed,
    isDanger: call.access === 'destructive',
    why: whyNot(call.id) ?? whyNotInState(call, noun, row, status),
  });
  return actsOf(noun)
    .map(({ call, label, fixed }) => act(call, label, fixed))
    .filter(({ call }) => isFor(call, row));
}
