/** An operation with three empty steps, which measures the runner alone. */
import { families } from '../src/families/index.ts';
import { done, kind, NoInput } from '../src/kernel/operations/kind.ts';
import { buildRegistry, type Registry } from '../src/kernel/registry.ts';

const empty = (name: string) => ({ name, run: async () => done() });

export const emptyKind = kind<typeof NoInput>({
  type: 'bench.empty',
  family: 'bench',
  resourceType: 'bench',
  queue: 'exclusive',
  input: NoInput,
  typicalSeconds: 1,
  deadlineSeconds: 600,
  cancellable: false,
  steps: ['first', 'second', 'third'].map(empty),
});

export const benchRegistry = (): Registry =>
  buildRegistry([
    ...families,
    { name: 'bench', title: 'Bench', description: 'Only here.', endpoints: [], kinds: [emptyKind] },
  ]);
