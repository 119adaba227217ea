import type { Services } from '../../../kernel/services.ts';

/** In a row; each may take all our patience. */
const MOST_FAILURES = 3;

/** The trouble of one thing is not that of the others, unless it is the engine's: then this look is over. */
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
      this.#log.warn({ err: error, resource: id }, 'what an engine has of it could not be looked after');
    }
  }
}
