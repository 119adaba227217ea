/** Gives the focus back to where it was before a dialog; to the content of the page, if that place is gone. */
export function returnFocus(before: Element | null): void {
  const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
  (isThere ? before : document.querySelector<HTMLElement>('#content'))?.focus();
}
