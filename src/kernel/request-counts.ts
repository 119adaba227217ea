/**
 * Counts and durations of requests by operation, and counts of refusals by code. They are plain numbers, converted to
 * Prometheus samples at the scrape, because a label look-up per request would cost more than the counting.
 */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const;

export type Outcome = number | 'aborted';

class Durations {
  /** Each duration is counted under the smallest bound that is not below it; the last bucket has no bound. */
  readonly buckets: number[] = Array(BOUNDS.length + 1).fill(0);
  sum = 0;

  add(seconds: number): void {
    let place = 0;
    while (place < BOUNDS.length && seconds > BOUNDS[place]!) place++;
    this.buckets[place]!++;
    this.sum += seconds;
  }
}

interface Operation {
  readonly outcomes: Map<Outcome, number>;
  readonly durations: Durations;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export class RequestTally {
  readonly #operations = new Map<string, Operation>();
  readonly refusals = new Map<string, number>();

  answered(operation: string, status: number, seconds: number): void {
    const { outcomes, durations } = this.#of(operation);
    outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    durations.add(seconds);
  }

  /** Counts a request that got no answer, and therefore has no duration. */
  aborted(operation: string): void {
    const { outcomes } = this.#of(operation);
    outcomes.set('aborted', (outcomes.get('aborted') ?? 0) + 1);
  }

  refused(code: string): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }

  *counts(): Generator<{ operation: string; status: Outcome; count: number }> {
    for (const [operation, { outcomes }] of this.#operations) {
      for (const [status, count] of outcomes) yield { operation, status, count };
    }
  }

  /** The Prometheus histogram, in which each bucket includes all smaller ones. */
  samples(name: string): Sample[] {
    return [...this.#operations].flatMap(([operation, { durations }]) => {
      let count = 0;
      const buckets = durations.buckets.map((held, place) => {
        count += held;
        return {
          metricName: `${name}_bucket`,
          labels: { le: BOUNDS[place] ?? '+Inf', operation },
          value: count,
        };
      });
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels: { operation }, value: durations.sum },
        { metricName: `${name}_count`, labels: { operation }, value: count },
      ];
    });
  }

  #of(operation: string): Operation {
    let known = this.#operations.get(operation);
    if (known === undefined) {
      known = { outcomes: new Map(), durations: new Durations() };
      this.#operations.set(operation, known);
    }
    return known;
  }
}
