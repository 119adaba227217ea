import { EngineRefused } from '../errors.ts';

/** Returns the code of the refusal. Any other error fails the test. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof EngineRefused) return error.code;
  if (error === null) return 'not refused';
  throw error;
}
