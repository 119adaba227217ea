/** The account that the tab works for. Other tabs keep theirs; new tabs begin with the one chosen last. */
const NAME = 'hp-account';

export const readChosen = (): string | null => sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME);

export function keepChosen(id: string): void {
  sessionStorage.setItem(NAME, id);
  localStorage.setItem(NAME, id);
}
