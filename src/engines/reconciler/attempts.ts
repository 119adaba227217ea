import type { Services } from '../../kernel/services.ts';

/** Consecutive failures. Each attempt may take as long as `patience` allows, so more would delay the next run. */
const MOST_FAILURES = 3;

/**
 * Reconciles the resources of one engine one after another. An error of one resource does not stop the others. Several
 * errors in a row mean that the engine itself is in trouble; then the run ends with the last error.
 */
export class Attempts {
  readonly #log: Services['log'];
  #failures = 0;

  constructor({ log }: Pick<Services, 'log'>) {
    this.#log = log;
  }

  async make(id: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#failures = 0;
    } catch (error) {
      if (++this.#failures === MOST_FAILURES) throw error;
      this.#log.warn({ err: error, resource: id }, 'the resource could not be reconciled with its engine');
    }
  }
}
