import { useEffect, useState } from 'react';
import { Problem } from '../data/http.ts';

const memberOf = (pointer: string): string => pointer.split('/')[1] ?? '';

/** The refusal without what is said at the fields; null if that is all. */
function withoutFields(problem: Problem, isField: (member: string) => boolean): Problem | null {
  const { errors = [] } = problem.body;
  const others = errors.filter(({ pointer }) => !isField(memberOf(pointer)));
  if (errors.length === 0 || others.length === errors.length) return problem;
  return others.length === 0 ? null : new Problem(problem.status, { ...problem.body, errors: others });
}

/**
 * Takes the refusal of a form apart. What is wrong with a field stands at the field and nowhere else, and goes when the
 * field is changed; `rest` is for the notice of the form. `values` has the fields by their members of the body, `codes`
 * the field that is to blame for a whole refusal, such as the name for `name_taken`, and what to say there.
 */
export function useFaults(
  error: unknown,
  values: Readonly<Record<string, unknown>>,
  codes: Readonly<Record<string, readonly [member: string, words: string]>> = {},
) {
  const [refused, setRefused] = useState<{ error: unknown; values: Readonly<Record<string, unknown>> }>({
    error: null,
    values,
  });
  // The values with which the form was refused.
  if (refused.error !== error) setRefused({ error, values });
  const problem = error instanceof Problem ? error : null;
  const blamed = problem === null ? undefined : codes[problem.code];
  const fault = (member: string): string | undefined => {
    if (problem === null || refused.values[member] !== values[member]) return undefined;
    return problem.fault(member) ?? (blamed?.[0] === member ? blamed[1] : undefined);
  };
  // The refusal may be about a field that is not in sight.
  useEffect(() => {
    if (error === null) return;
    const dialogs = document.querySelectorAll('dialog[open]');
    (dialogs[dialogs.length - 1] ?? document).querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  const rest =
    problem === null
      ? error
      : blamed === undefined
        ? withoutFields(problem, (member) => member in values)
        : null;
  return { fault, rest };
}
