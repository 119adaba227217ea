/** Builds the event types of an owned resource and the messages of its events. */
import { type EventDeclaration, eventTypesOf } from '../../kernel/events/declaration.ts';
import type { EventType, NewEvent } from '../../kernel/events/event.ts';

export interface OwnedEvent extends Partial<EventDeclaration> {
  /** The end of the event message, after the name of the resource: `is ready`. Default: `was` and the event name. */
  readonly says?: string;
}

/** `says` replaces the end of the declared message, `message` all of it. */
export type News = Partial<Pick<NewEvent, 'message' | 'data' | 'severity'>> & { readonly says?: string };
export type Name<N extends string | null = string | null> = { readonly id: string; readonly name?: N };

interface Declaring {
  readonly type: string;
  readonly words?: string;
  readonly subject?: string;
  readonly events: Readonly<Record<string, OwnedEvent>>;
}

const article = (words: string): string => (/^[aeiou]/i.test(words) ? 'An' : 'A');

export const wordsFor = (type: string): string => type.replaceAll('_', ' ');

export function ownedEventTypes({ type, words = wordsFor(type), events }: Declaring): EventType[] {
  const declared = Object.entries(events).map(([name, { says: _, ...event }]) => [
    name,
    { when: `${article(words)} ${words} was ${name}.`, ...event },
  ]);
  return eventTypesOf(type, Object.fromEntries(declared));
}

export function sentenceOf(
  { type, words = wordsFor(type), subject = `The ${words}`, events }: Declaring,
  event: string,
  name: string,
  says = events[event]?.says ?? `was ${event}`,
) {
  return `${subject} ${name} ${says}.`;
}
