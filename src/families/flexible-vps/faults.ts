/** Collects the errors of several checks. Field errors are reported together; other problems only if there are none. */
import { type FieldError, invalid, Problem } from '../../kernel/problems/problem.ts';

type Found<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

export class Faults {
  readonly #errors: FieldError[] = [];
  #other: Problem | undefined;

  /** Returns undefined if the check failed. `found` throws the failure later. */
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

  /** Throws the collected failures. If there are none, no value in `checked` is undefined. */
  found<T extends object>(checked: T): Found<T> {
    if (this.#errors.length > 0) throw invalid(this.#errors);
    if (this.#other !== undefined) throw this.#other;
    return checked as Found<T>;
  }
}
