/** Where a call of a person comes from, and which services it may use. */
import type { Services } from '../../kernel/services.ts';
import type { Actor } from '../actor.ts';

export interface RequestContext {
  readonly clientIp: string;
  /** The client address as guesses are counted: one IPv4 address, or an IPv6 network. */
  readonly clientNet: string;
  readonly userAgent: string;
  readonly requestId: string;
  /** The address of the portal as the browser shows it, such as https://portal.example.com. */
  readonly origin: string;
}

export type PeopleServices = Pick<Services, 'db' | 'secrets' | 'provider' | 'log'>;

/** A page of the portal. The token stands in the fragment, which browsers send to no server and to no other site. */
export const pageLink = (origin: string, page: string, token?: string): string =>
  `${origin}/portal${page}${token === undefined ? '' : `#${token}`}`;

export const memberActor = (
  context: RequestContext,
  member: { readonly id: string; readonly name: string },
): Actor => ({
  kind: 'member',
  memberId: member.id,
  name: member.name,
  clientIp: context.clientIp,
  userAgent: context.userAgent,
  requestId: context.requestId,
});
