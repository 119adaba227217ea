/** The types of resources that the document describes, and the addresses of their pages. */
import { queryOptions } from '@tanstack/react-query';
import type { Noun, NounCall, NounFamily } from '../../../src/surfaces/portal/reference/nouns.ts';
import { get } from './http.ts';
import { spoken } from './words.ts';

export type { Noun, NounCall, NounFamily };

/** What every account has: it has pages of its own, and no product. */
const ACCOUNT = 'account';

export const nounsQuery = queryOptions({
  queryKey: ['nouns'],
  queryFn: async ({ signal }) =>
    (await get<{ readonly families: readonly NounFamily[] }>('/portal/api/nouns.json', signal)).families,
  staleTime: 60_000,
});

export const productsOf = (families: readonly NounFamily[]): readonly NounFamily[] =>
  families.filter(({ slug }) => slug !== ACCOUNT);

/** `vm_public_ip` is a "Public IP" of its machine, `vps_plan` a "Plan" of its family. */
export const singularOf = ({ name, parent }: Noun): string =>
  spoken(name.replace(parent === undefined ? /^vps_/ : `${parent.noun}_`, ''));
export const titleOf = (noun: Noun): string => noun.title ?? `${singularOf(noun)}s`;

/** Whether people can have some of their own. Others are read only: what the provider offers. */
export const isOwned = (noun: Noun): boolean =>
  noun.create !== undefined || noun.declare !== undefined || noun.delete !== undefined;

/** The call that makes one. What is there from the beginning is only changed. */
export const makerOf = (noun: Noun): NounCall | undefined =>
  noun.isOnly ? undefined : (noun.create ?? noun.declare);

export const nounNamed = (families: readonly NounFamily[], name: string): Noun | undefined =>
  families.flatMap(({ nouns }) => nouns).find((noun) => noun.name === name);

/** Whether it has a page, or a tab on the page of what it is a part of: with its rows, or with the only one. */
export const isShown = ({ rows, isOnly }: Noun): boolean => rows !== undefined || isOnly === true;

/** Those that are no part of another one: they have a page of their own. */
export const mainNouns = ({ nouns }: NounFamily): readonly Noun[] =>
  nouns.filter((noun) => noun.parent === undefined && isShown(noun));

export const partsOf = (noun: Noun, families: readonly NounFamily[]): readonly Noun[] =>
  families.flatMap(({ nouns }) => nouns).filter(({ parent }) => parent?.noun === noun.name);

/** The values of the path parameters of everything above a resource, and of itself. */
export type PathValues = Readonly<Record<string, string>>;

export const listAddress = (noun: Noun): string => `/p/${noun.family}/${noun.slug}`;

/** `above` names the resource that it is a part of, if it is one. */
export function addressOf(noun: Noun, families: readonly NounFamily[], id: string, above?: string): string {
  const parent = noun.parent && nounNamed(families, noun.parent.noun);
  if (noun.isOnly)
    return parent && above !== undefined ? addressOf(parent, families, above) : listAddress(noun);
  const own = `${noun.slug}/${encodeURIComponent(id)}`;
  return parent && above !== undefined
    ? `${listAddress(parent)}/${encodeURIComponent(above)}/${own}`
    : `/p/${noun.family}/${own}`;
}

export const filled = (path: string, values: PathValues): string =>
  path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] === undefined ? whole : encodeURIComponent(values[name]),
  );

/** The parameter that names the resource itself in the path of its calls: the last one. */
export const ownParameter = (path: string): string | undefined => path.match(/\{(\w+)\}(?!.*\{)/)?.[1];
