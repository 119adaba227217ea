/**
 * Describes calls to the runner's store for the trace. It uses names instead of ids, so that a seed always gives the
 * same trace.
 */
import type { Advance, Held } from '../../operations/runner-store.ts';

type NameOf = (id: string) => string;

const ofAdvance = (advance: Advance): string => {
  switch (advance.to) {
    case 'step':
      return `finishes ${advance.finished} of`;
    case 'undo':
      return 'begins to undo';
    case 'sleep':
      return `waits ${advance.waitingFor ?? 'a while'} with`;
    case 'retry':
      return `tries later (${advance.seconds.toFixed(3)} s)`;
    case 'children':
      return `starts ${advance.start.length} children of`;
  }
};

export function describeCall(call: string, args: readonly unknown[], nameOf: NameOf): string {
  const one = (value: unknown): string => nameOf((value as Held).id);
  const several = (value: unknown): string => (value as Held[]).map(({ id }) => nameOf(id)).join(', ');
  switch (call) {
    case 'claim':
      return 'claims';
    case 'renew':
    case 'giveBack':
      return `${call === 'renew' ? 'renews' : 'gives back'} ${several(args[1])}`;
    case 'advance':
      return `${ofAdvance(args[1] as Advance)} ${one(args[0])}`;
    case 'end':
      return `ends ${one(args[0])}: ${(args[1] as { readonly status: string }).status}`;
    case 'children':
    case 'cancelChildren':
      return `${call === 'children' ? 'counts' : 'cancels'} the children of ${nameOf(String(args[0]))}`;
    case 'effect':
      return `changes ${String(args[0])}`;
    case 'lookAhead':
      return 'asks what is due';
    default:
      return call === 'look' ? 'looks' : call;
  }
}
