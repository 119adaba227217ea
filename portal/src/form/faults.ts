/** An error stands once, at its field, and goes when that field is changed. */
import { useCallback, useContext, useEffect, useState } from 'react';
import { Problem } from '../data/http.ts';
import { Facts } from './facts.ts';
import { type Fault, isFaulty, textOf, withoutChanged } from './fault-list.ts';

const faultsIn = (problem: unknown): readonly Fault[] =>
  problem instanceof Problem && problem.status === 422 ? (problem.body.errors ?? []) : [];

/** `faults`, `isFaulty`, `changed` and `shows` belong into `Facts`; `rest` is shown above the form: no field shows it. */
export function useFaults(problem: unknown) {
  const [given, setGiven] = useState(problem);
  const [left, setLeft] = useState(() => faultsIn(problem));
  const [shown, setShown] = useState<readonly string[]>([]);
  if (given !== problem) {
    setGiven(problem);
    setLeft(faultsIn(problem));
  }
  const changed = useCallback((pointer: string) => setLeft((now) => withoutChanged(now, pointer)), []);
  const shows = useCallback((pointer: string) => {
    setShown((now) => [...now, pointer]);
    return () =>
      setShown((now) => {
        const at = now.indexOf(pointer);
        return now.filter((_, i) => i !== at);
      });
  }, []);
  return {
    faults: (pointer: string): string | undefined => {
      const found = left.filter((each) => each.pointer === pointer);
      return found.length === 0 ? undefined : found.map(textOf).join(' ');
    },
    isFaulty: (pointer: string): boolean => isFaulty(left, pointer),
    changed,
    shows,
    rest: left.filter(({ pointer }) => !shown.includes(pointer)),
    /** How many are still at fields. */
    count: left.length,
  };
}

/** What is wrong with the member at the pointer. Whoever asks shows it. */
export function useFault(pointer: string): string | undefined {
  const { faults, shows } = useContext(Facts);
  const fault = faults(pointer);
  const isThere = fault !== undefined;
  useEffect(() => (isThere ? shows?.(pointer) : undefined), [isThere, pointer, shows]);
  return fault;
}
