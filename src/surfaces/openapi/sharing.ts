/** Finds the parts of the document that are used more than once in the same form, and names them. */
export class Sharing {
  readonly #uses = new Map<string, Map<string, number>>();

  count(name: string, part: object): void {
    const form = JSON.stringify(part);
    const forms = this.#uses.get(name) ?? new Map<string, number>();
    this.#uses.set(name, forms.set(form, (forms.get(form) ?? 0) + 1));
  }

  /** By form: the name of the component. Other forms of the same name get a number: `Sort`, `Sort2`. */
  names(): Map<string, string> {
    return new Map(
      [...this.#uses].flatMap(([name, forms]) =>
        [...forms]
          .filter(([, count]) => count > 1)
          .sort(([, a], [, b]) => b - a)
          .map(([form], i): [string, string] => [form, i === 0 ? name : `${name}${i + 1}`]),
      ),
    );
  }
}

/** The components, sorted by name. */
export const componentsOf = <T>(names: ReadonlyMap<string, string>): Record<string, T> =>
  Object.fromEntries(
    [...names]
      .sort(([, a], [, b]) => (a < b ? -1 : 1))
      .map(([form, name]): [string, T] => [name, JSON.parse(form)]),
  );
