import type { Operation } from '../../data/types.ts';
import { spoken } from '../../data/words.ts';
import { isId } from '../../resource/values.ts';
import type { Tone } from '../../ui/tone.ts';

const tones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'plain',
  cancelling: 'warn',
};

export const toneOf = (status: string): Tone => tones[status] ?? 'info';

export const hasEnded = ({ finished_at }: Operation): boolean => finished_at !== null;

/** `vm.create` on web-1 is "Create VM web-1". An id says nothing to people; the page of the operation has it. */
export function titleOf({ type, resource }: Pick<Operation, 'type' | 'resource'>): string {
  const name = resource.name ?? (isId(resource.id) ? '' : resource.id);
  return `${kindWords(type)} ${name ?? ''}`.trim();
}

export function kindWords(type: string): string {
  const [noun = '', verb = ''] = type.split('.');
  return `${spoken(verb)} ${spoken(noun).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
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
