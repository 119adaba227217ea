/** The names that an address may have, and those that it has by default. */
import { domainToASCII } from 'node:url';
import type { Address } from '../../../kernel/net/address.ts';
import { parseAddress } from '../../../kernel/net/address.ts';
import { isNumeric } from '../../../kernel/net/address-rules.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';

type Provider = Pick<ProviderConfig, 'provider'>;

const LONGEST = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The name as the DNS has it: without the dot at its end, in small letters, without letters beyond ASCII. */
export function canonicalName(text: string): string {
  const plain = text.replace(/\.$/, '');
  return (isAscii(plain) ? plain : domainToASCII(plain)).toLowerCase();
}

/** What is wrong with one label of a name, in words that say what to write. */
function labelFault(label: string, at: number): string | null {
  const part = `Part ${at + 1} between the dots`;
  if (label === '') return 'There is nothing between two dots, or before the first.';
  if (label.includes('*')) return 'A record has one name; a name with * stands for many.';
  if (label.includes('_')) return 'Names of hosts have no underscores; write a hyphen.';
  if (label.length > 63) return `${part} has more than 63 characters.`;
  if (!LABEL.test(label))
    return `${part} must have only letters, digits and hyphens, with a letter or a digit at both ends.`;
  if (label.startsWith('xn--') && domainToASCII(label) === '')
    return `${part} is not the ASCII form of an international name. Write the name with its own letters, such as bücher.example.`;
  return null;
}

function formFault(text: string): string | null {
  const name = canonicalName(text);
  if (!isAscii(text) && name === '')
    return 'These letters cannot stand in an international name. Write it as browsers show it, such as bücher.example, or in its ASCII form, xn--bcher-kva.example.';
  if (name.length > LONGEST)
    return `A name has at most ${LONGEST} characters in its ASCII form; this one has ${name.length}.`;
  if (parseAddress(name) !== null || isNumeric(name))
    return 'This is read as an address. Write the name of a host, such as mail.example.com.';
  const labels = name.split('.');
  const fault = labels.map(labelFault).find((each) => each !== null);
  if (fault !== undefined) return fault;
  return labels.length < 2 ? 'Write the full name with its domain, such as mail.example.com.' : null;
}

/** Names in the provider's own domain would pass as its own machines. */
const isReserved = (name: string, { provider: { domain } }: Provider): boolean =>
  name === domain || name.endsWith(`.${domain}`);

export function hostnameFaults(text: string | null, provider: Provider): FieldError[] {
  if (text === null) return [];
  const pointer = '/hostname';
  const fault = formFault(text);
  if (fault !== null) return [{ pointer, code: 'invalid_format', detail: fault }];
  if (!isReserved(canonicalName(text), provider)) return [];
  const detail = `Names below ${provider.provider.domain} belong to the provider. Write a name in a domain of your own, or null for the default.`;
  return [{ pointer, code: 'reserved_name', detail }];
}

const suffixAt = (location: string, { provider: { domain } }: Provider): string =>
  `.${location}.ip.${domain}`;

/** `203-0-113-20.fra1.ip.example.com`. IPv6 addresses have no name by default. */
export const defaultName = (
  { family, text }: Pick<Address, 'family' | 'text'>,
  location: string,
  provider: Provider,
): string | null => (family === 4 ? `${text.replaceAll('.', '-')}${suffixAt(location, provider)}` : null);

/** The address that has this name by default, and its location; null if it is no default name. */
export function addressOfDefaultName(
  name: string,
  { provider: { domain } }: Provider,
): { readonly address: string; readonly location: string } | null {
  const end = `.ip.${domain}`;
  if (!name.endsWith(end)) return null;
  const [first = '', location = '', ...more] = name.slice(0, -end.length).split('.');
  const address = parseAddress(first.replaceAll('-', '.'));
  return address === null || location === '' || more.length > 0 ? null : { address: address.text, location };
}
