import type { Services } from './services.ts';

/**
 * Periodic work without input, which compares the actual state with the wanted one. Only one worker at a time runs it.
 * It must be idempotent, because it may run twice.
 */
export interface Schedule {
  readonly name: string;
  readonly everySeconds: number;
  run(services: Services): Promise<void>;
}
