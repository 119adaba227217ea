/** People know their resources by names: the sentences of a refusal get them in place of ids. Commands take both. */
import type { Document } from '../document/document.ts';
import type { Problem } from '../failure.ts';
import { isId } from '../input/references.ts';
import type { Session } from '../session.ts';
import { ResourceNames } from './resource-names.ts';

const WORD = /\b[a-z]+(?:_[a-z]+)*_[0-9a-z]{26}\b/g;

/** Ids that the sentences may name, also through a member such as `existing_id`. The request id is none of them. */
function idsAbout({ request_id: _, operation_id: __, ...problem }: Problem): string[] {
  return [...new Set(JSON.stringify(problem).match(WORD) ?? [])].filter(isId);
}

export async function problemWithNames<T extends Problem>(
  session: Session,
  document: Document,
  problem: T,
): Promise<T> {
  const ids = idsAbout(problem);
  // A key that was refused would be refused again.
  if (ids.length === 0 || problem.status === 401) return problem;
  const names = new ResourceNames(session, document);
  await names.learn(ids);
  const withNames = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(WORD, (id) => names.nameOf(id) ?? id);
    if (Array.isArray(value)) return value.map(withNames);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withNames(part)]));
  };
  const { request_id, operation_id } = problem;
  return { ...(withNames(problem) as T), request_id, operation_id };
}
