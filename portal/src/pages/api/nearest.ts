import type { IndexedOperation, OperationIndex } from '../../data/reference-types.ts';

const pairs = (text: string): Set<string> => {
  const letters = text.toLowerCase();
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, i) => letters.slice(i, i + 2)));
};

/** The operations whose names share the most letter pairs with what was asked for. */
export function nearest(name: string, index: OperationIndex | undefined, most = 5): IndexedOperation[] {
  const asked = pairs(name);
  const score = ({ id }: IndexedOperation): number => {
    const own = pairs(id);
    return [...own].filter((pair) => asked.has(pair)).length / Math.max(1, own.size + asked.size);
  };
  return (index?.families ?? [])
    .flatMap(({ resources }) => resources.flatMap(({ operations }) => operations))
    .toSorted((a, b) => score(b) - score(a))
    .slice(0, most);
}
