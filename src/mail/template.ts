/** What a template of a mail is made of. */

export interface Letter {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly button: { readonly label: string; readonly link: string };
  /** What to do if the mail was not expected. */
  readonly unexpected: string;
}

export interface Site {
  /** The provider's name. */
  readonly provider: string;
}

export interface Template<D> {
  /**
   * People who are not signed in, or whom the recipient does not know, can cause this mail. All templates of this kind
   * share a limit for each recipient.
   */
  readonly byStrangers?: true;
  write(data: D, site: Site): Letter;
}

export const template = <D>(definition: Template<D>): Template<D> => definition;
