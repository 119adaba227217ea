import type { Services } from './services.ts';

/**
 * Work that takes no input and is due again and again: it compares what is with what should be. Of all workers one does
 * it at a time; it may be done twice and must then change nothing.
 */
export interface Schedule {
  readonly name: string;
  readonly everySeconds: number;
  run(services: Services): Promise<void>;
}
