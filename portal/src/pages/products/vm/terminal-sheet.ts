/** A style element of the terminal. The policy forbids style elements, but not style sheets that a script makes. */

class TerminalSheet extends HTMLElement {
  readonly #sheet = new CSSStyleSheet();

  override set textContent(text: string | null) {
    this.#sheet.replaceSync(text ?? '');
  }

  override get textContent(): string {
    return '';
  }

  connectedCallback(): void {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#sheet];
  }

  disconnectedCallback(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== this.#sheet);
  }
}

/** The build gives the terminal elements of this name: `portal/vite.config.ts`. */
export function defineTerminalSheet(): void {
  if (customElements.get('terminal-sheet') === undefined)
    customElements.define('terminal-sheet', TerminalSheet);
}
