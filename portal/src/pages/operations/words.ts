import type { Operation } from '../../data/types.ts';
import { count, inSentence, spoken } from '../../data/words.ts';
import { isId } from '../../resource/values.ts';
import type { Tone } from '../../ui/tone.ts';

type Titled = Pick<Operation, 'type' | 'resource'> & Partial<Pick<Operation, 'children'>>;

const tones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'plain',
  cancelling: 'warn',
};

export const toneOf = (status: string): Tone => tones[status] ?? 'info';

export const hasEnded = ({ finished_at }: Operation): boolean => finished_at !== null;

/**
 * `vm.create` on web-1 is "Create machine web-1", and `vm.power_on` of three parts "Power on 3 machines". An id says
 * nothing to people; the page of the operation has it.
 */
export function titleOf({ type, resource, children }: Titled): string {
  if (children?.type) {
    const { verb, noun } = partsOf(children.type);
    return `${verb} ${count(children.total, noun)}`;
  }
  const name = resource.name ?? (isId(resource.id) ? '' : resource.id);
  return `${kindWords(type)} ${name ?? ''}`.trim();
}

/** Verbs of kinds that are no words for people. */
const VERBS = new Map([
  ['shutdown', 'shut down'],
  ['set_iso', 'change ISO of'],
]);

function partsOf(type: string): { verb: string; noun: string } {
  const [noun = '', verb = ''] = type.split('.');
  return { verb: spoken(VERBS.get(verb) ?? verb), noun: inSentence(spoken(noun)) };
}

export function kindWords(type: string): string {
  const { verb, noun } = partsOf(type);
  const [, what] = /^Bulk (.*)/.exec(verb) ?? [];
  return what === undefined ? `${verb} ${noun}` : `${spoken(what)} actions on ${noun}s`;
}

/** What is told of work that failed. Of work in several parts it says how many failed. */
export function failureOf(operation: Titled & Pick<Operation, 'children'>): string {
  const { children } = operation;
  const title = titleOf(operation);
  return children === null ? `${title} failed` : `${title}: ${children.failed} of ${children.total} failed`;
}

const waits: Readonly<Record<string, string>> = {
  queue: 'Waits for earlier work',
  children: 'Waits for its parts',
  users: 'Waits until nothing uses it',
  retry: 'Waits before the next try',
};

/** Where it is, or why it failed. */
export const noteOf = ({ status, step, progress_percent, waiting_for, error }: Operation): string => {
  if (error !== null) return error.detail;
  if (waiting_for !== null) return waits[waiting_for] ?? `Waits for ${waiting_for.replaceAll('_', ' ')}`;
  if (status === 'queued') return 'Waits for its turn';
  if (status === 'cancelling') return 'Takes back what it had done';
  if (status !== 'running') return '';
  return [spoken(step), ...(progress_percent === null ? [] : [`${progress_percent} %`])]
    .filter(Boolean)
    .join(', ');
};
