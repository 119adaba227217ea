/** Ids that the calls of a batch make: they are others in each rehearsal, so references stand for them. */
import { newId } from '../../kernel/ids.ts';

export const ID = /\b[a-z]+(?:_[a-z]+)*_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;
const SUFFIX = 26;
/** Stands for an id that no answer has. */
const NEW = 'made by this batch';

/** A mark in time: ids that this process makes later sort after it. */
export const markNow = (): string => newId('request').slice(-SUFFIX);

function pathTo(id: string, value: unknown): string[] | undefined {
  if (value === id) return [];
  if (value === null || typeof value !== 'object') return undefined;
  for (const [name, member] of Object.entries(value)) {
    const inner = pathTo(id, member);
    if (inner !== undefined) return [name, ...inner];
  }
  return undefined;
}

/**
 * The value with references in place of the ids that were made since the mark: a rehearsal makes other ids than the next
 * one, and than the calls themselves.
 */
export function withReferences<T>(value: T, answers: readonly unknown[], since: string): T {
  const named = (id: string): string => {
    if (id.slice(-SUFFIX) <= since) return id;
    for (const [number, answer] of answers.entries()) {
      const path = pathTo(id, answer);
      if (path !== undefined) return `$${number}.${path.join('.')}`;
    }
    return NEW;
  };
  return JSON.parse(JSON.stringify(value ?? null), (_, member: unknown) =>
    typeof member === 'string' ? member.replaceAll(ID, named) : member,
  ) as T;
}

/** Examples of answers with ids that nothing has, and nothing else. */
export const freshIdsIn = (example: unknown): unknown =>
  JSON.parse(JSON.stringify(example ?? null), (_, member: unknown) => {
    if (typeof member !== 'string') return member;
    const isId = member.replace(ID, '') === '' && member !== '';
    return isId ? `${member.slice(0, -SUFFIX)}${markNow()}` : undefined;
  });
