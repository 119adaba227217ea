import { useRef, useState } from 'react';

/** The app asks for the password again where an act needs it; in front of the portal there is nothing to ask. */
export const guard: { around: (act: () => Promise<void>) => Promise<void> } = { around: (act) => act() };

/** Runs one act at a time, and keeps what went wrong until the next try. The fields of the form are not touched. */
export function useAct<Input = void>(act: (input: Input) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(false);
  const run = async (input: Input): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await guard.around(() => act(input));
    } catch (caught) {
      setError(caught);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, error, run, clear: () => setError(null) };
}
