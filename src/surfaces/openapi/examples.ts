/** Examples that several operations share. They are components, to which the operations refer. */
import type { Endpoint } from '../../kernel/record.ts';
import type { Static } from '../../kernel/schema.ts';
import { formatMoney, formatRate } from '../../money/prices/format.ts';
import type { DryRun } from '../../pipeline/dry-run-shape.ts';
import type { Example, JsonSchema, MediaType, Reference } from './model.ts';

export const exampleReference = (name: string): Reference => ({ $ref: `#/components/examples/${name}` });

/** Every call that changes something has the same example of a dry run, so it stands with the schema. */
export const exampleDryRun = (currency: string): Static<typeof DryRun> => ({
  dry_run: true,
  valid: true,
  cost: { hourly: formatRate(0n), monthly: formatMoney(0n), currency, lines: [] },
  exceeds_budgets: [],
  tightest_budget: null,
  changes: [{ text: 'creates the placement group "group-1"', loosens: false }],
  effects: [{ action: 'create', type: 'placement_group', id: null, name: 'group-1', loss: null }],
  warnings: [],
});

export class SharedExamples {
  readonly #values = new Map<string, unknown>();
  readonly #uses = new Map<string, number>();

  constructor(endpoints: readonly Endpoint[]) {
    for (const { example } of endpoints) {
      const form = JSON.stringify(example.answer.body);
      this.#uses.set(form, (this.#uses.get(form) ?? 0) + 1);
    }
  }

  /**
   * The example of the answer. Calls with the same example share it. A resource whose operation is pending looks the same
   * after every call, except for the type of the operation, so calls that answer with it share the example of the first.
   */
  of({ example, operation }: Endpoint, schema: JsonSchema): Partial<MediaType> {
    const { status, body } = example.answer;
    const name = String(schema['$ref'] ?? '')
      .split('/')
      .at(-1);
    const isPending = status === 202 && operation !== undefined;
    const form = JSON.stringify(body);
    const isShared = isPending || (this.#uses.get(form) ?? 0) > 1;
    if (!isShared || !name) return { example: body };
    const shared = `${isPending ? 'Pending' : 'One'}${name}`;
    const first = this.#values.get(shared) ?? body;
    if (!isPending && JSON.stringify(first) !== form) return { example: body };
    this.#values.set(shared, first);
    return { examples: { [isPending ? 'pending' : 'one']: exampleReference(shared) } };
  }

  list(): Record<string, Example> {
    return Object.fromEntries([...this.#values].map(([name, value]) => [name, { value }]));
  }
}
