/** Some acts want the password again. The act waits for it, then runs again: nothing that was typed is lost. */
import { Problem } from './http.ts';

/** The code of the refusal. */
export const REAUTHENTICATE = 'reauthentication_required';

let ask: ((answer: (done: boolean) => void) => void) | undefined;

/** The dialog says here how it is opened. */
export const onReauthentication = (open: typeof ask): void => {
  ask = open;
};

export async function withReauthentication(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== REAUTHENTICATE || ask === undefined) throw error;
    const open = ask;
    const done = await new Promise<boolean>(open);
    if (done) await act();
  }
}
