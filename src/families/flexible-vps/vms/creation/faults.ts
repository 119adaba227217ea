/** What is wrong with a body is told all at once; what else stands in the way only where nothing is. */
import { type FieldError, invalid, Problem } from '../../../../kernel/problems/problem.ts';

type Found<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

export class Faults {
  readonly #errors: FieldError[] = [];
  #other: Problem | undefined;

  /** Undefined: it was refused, and `found` will say so. */
  async check<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'validation_failed') this.#errors.push(...error.errors);
      else this.#other ??= error;
      return undefined;
    }
  }

  /** Throws what was refused; otherwise all that was checked is there. */
  found<T extends object>(checked: T): Found<T> {
    if (this.#errors.length > 0) throw invalid(this.#errors);
    if (this.#other !== undefined) throw this.#other;
    return checked as Found<T>;
  }
}
