import type { Resource } from '../data/product.ts';
import { spoken } from '../data/words.ts';
import type { Described } from '../form/document.ts';
import { membersOf } from './schema.ts';

export interface Secret {
  readonly title: string;
  readonly text: string;
}

/** The members of an answer that no later answer shows again; within an object also those beside them, such as the user name. */
export function secretsIn(answer: Resource, { answer: schema, resolve }: Described): readonly Secret[] {
  if (schema === null) return [];
  return membersOf(schema, resolve).flatMap(([name, each]) => {
    const value = answer[name];
    if (each['x-secret'] === true && isText(value))
      return [{ title: String(each['x-label'] ?? spoken(name)), text: value }];
    const inside = membersOf(each, resolve);
    if (!inside.some(([, part]) => part['x-secret'] === true) || !isObject(value)) return [];
    return inside.flatMap(([own, part]) => {
      const text = value[own];
      return isText(text) ? [{ title: String(part['x-label'] ?? spoken(own)), text }] : [];
    });
  });
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
