/** All acts on one resource, by the names that people read. */
import type { Noun, NounCall } from '../../../src/surfaces/portal/reference/nouns.ts';
import { spoken } from '../data/words.ts';

interface NamedAct {
  readonly label: string;
  readonly call: NounCall;
  /** Members of the body that the act decides. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

const camelParts = (id: string): string[] => id.split(/(?=[A-Z])/).map((part) => part.toLowerCase());

/** `resetVmPassword` of a machine is "Reset password". */
function labelOf({ id }: NounCall, { name, parent }: Noun): string {
  const own = new Set([...name.split('_'), ...(parent?.noun.split('_') ?? []), 'vps']);
  const words = camelParts(id).filter((word, at) => at === 0 || !own.has(word));
  return spoken(words.join(' '));
}

/** What goes is named beside it: the verb is enough for `deleteVmSnapshot`, which deletes no VM. */
const verbOf = ({ id }: NounCall): string => spoken(camelParts(id)[0] ?? '');

export function actsOf(noun: Noun): readonly NamedAct[] {
  const change = noun.update ?? noun.declare;
  return [
    ...noun.actions.flatMap((call) =>
      call.choice === undefined
        ? [{ label: labelOf(call, noun), call, fixed: {} }]
        : call.choice.values.map((value) => ({
            label: spoken(value),
            call,
            fixed: { [call.choice?.member ?? '']: value },
          })),
    ),
    ...(change === undefined ? [] : [{ label: 'Change', call: change, fixed: {} }]),
    ...(noun.delete === undefined ? [] : [{ label: verbOf(noun.delete), call: noun.delete, fixed: {} }]),
  ];
}
