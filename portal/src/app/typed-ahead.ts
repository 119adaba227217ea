/** Keeps what is typed until the field that asks for it is there. Returns the text, and ends. */
export function keepTyped(): () => string {
  let text = '';
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Backspace') text = text.slice(0, -1);
    else if (event.key.length === 1) text += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener('keydown', onKey, { capture: true });
  return () => {
    removeEventListener('keydown', onKey, { capture: true });
    return text;
  };
}
