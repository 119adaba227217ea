/** Prints what a call would do and cost. */

import { printable } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';
import type { Session } from '../session.ts';

export interface DryRun {
  readonly cost?: { readonly hourly: string; readonly monthly: string; readonly currency: string };
  /** Absent in the answers of older servers. */
  readonly changes?: readonly { readonly text: string; readonly loosens: boolean }[];
  readonly effects?: readonly {
    readonly action: string;
    readonly type: string;
    readonly id: string | null;
    readonly name: string | null;
    readonly loss: { readonly what: string; readonly recoverable?: boolean } | null;
  }[];
  readonly warnings?: readonly { readonly detail: string }[];
  readonly exceeds_budgets?: readonly { readonly name?: string; readonly id?: string }[];
}

/** One change in a sentence. */
export const sentence = ({ text, loosens }: NonNullable<DryRun['changes']>[number]): string =>
  loosens ? `Loosens: ${text}.` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const signed = (amount: string): string => (/^-|^0(\.0*)?$/.test(amount) ? amount : `+${amount}`);

export async function printDryRun({ io }: Session, printer: Printer, body: unknown): Promise<void> {
  if (!printer.isForPeople) return printer.value(body);
  const { cost, changes = [], effects = [], warnings = [], exceeds_budgets: budgets = [] } = body as DryRun;
  const lines = changes.map(sentence);
  // The sentences name every effect, so only what the effects take away remains to be said.
  const unsaid = changes.length === 0 ? effects : effects.filter(({ loss }) => loss !== null);
  const losses = unsaid.map(({ action, type, id, name, loss }) => {
    const what =
      `Would ${action.replaceAll('_', ' ')} ${type.replaceAll('_', ' ')} ${name ?? id ?? ''}`.trimEnd();
    return loss === null ? `${what}.` : `${what}. ${loss.what}`;
  });
  lines.push(...losses);
  if (lines.length === 0) lines.push('Would change nothing.');
  if (cost !== undefined)
    lines.push(
      `Cost: ${signed(cost.monthly)} ${cost.currency} a month (${signed(cost.hourly)} an hour), without tax.`,
    );
  for (const { name, id } of budgets) lines.push(`The budget ${name ?? id} has no room for this.`);
  for (const { detail } of warnings) lines.push(`Warning: ${detail}`);
  lines.push('Nothing was changed: this was a dry run.');
  await io.out(`${lines.map(printable).join('\n')}\n`);
}
