/**
 * Some acts want the password again, and a session can end while somebody types. The act waits for the dialog that asks,
 * then runs again: nothing that was typed is lost.
 */
import { Problem } from './http.ts';

/** The code of the refusal. */
export const REAUTHENTICATE = 'reauthentication_required';
export const NOT_SIGNED_IN = 'not_signed_in';

type Ask = (answer: (done: boolean) => void, refusal: Problem) => void;

/** The dialogs, by the refusal that they are for. */
const dialogs = new Map<string, Ask>();
const asking = new Map<string, Promise<boolean>>();

/** A dialog says here how it is opened. */
export const onRefusal = (code: string, open: Ask | undefined): void => {
  if (open === undefined) dialogs.delete(code);
  else dialogs.set(code, open);
};

/** Opens the dialog for the refusal, if it is not open. Undefined: there is none. */
export function ask(refusal: Problem): Promise<boolean> | undefined {
  const open = dialogs.get(refusal.code);
  if (open === undefined) return undefined;
  const asked =
    asking.get(refusal.code) ??
    new Promise<boolean>((answer) => open(answer, refusal)).finally(() => asking.delete(refusal.code));
  asking.set(refusal.code, asked);
  return asked;
}

export async function withReauthentication(act: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const answered = error instanceof Problem ? ask(error) : undefined;
      if (answered === undefined) throw error;
      if (!(await answered)) return;
    }
  }
}
