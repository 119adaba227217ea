/** What the server says is wrong, each at its place in the request. */

export interface Fault {
  readonly pointer: string;
  readonly code: string;
  readonly detail?: string;
  readonly message?: string;
}

/** Tells programs where to look. People have the choices in the field. */
const FOR_PROGRAMS = /\s*\b[A-Z]+ \/\S+ lists the valid values[^.]*\./g;

export const textOf = ({ detail, message }: Fault): string =>
  (detail ?? message ?? 'This is not valid.').replaceAll(FOR_PROGRAMS, '');

/** A part of a JSON Pointer: names of labels may contain its signs. */
export const step = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const isWithin = (pointer: string, outer: string): boolean => pointer.startsWith(`${outer}/`);

/** What is left when the value at the pointer has changed: nothing there, in it, or about the whole that contains it. */
export const withoutChanged = (faults: readonly Fault[], changed: string): readonly Fault[] =>
  faults.filter(
    ({ pointer }) =>
      pointer !== changed && pointer !== '' && !isWithin(pointer, changed) && !isWithin(changed, pointer),
  );

/** Whether something is wrong at the pointer or in it, so that what is folded has to be open. */
export const isFaulty = (faults: readonly Fault[], pointer: string): boolean =>
  faults.some((each) => each.pointer === pointer || isWithin(each.pointer, pointer));
