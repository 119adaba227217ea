/**
 * Everything that stages, handlers and workers use: created once at start and passed in, never imported as a global.
 * Each part adds its own member beside its class (`declare module '…/services.ts'`), so this file imports none of them.
 */
import type { Logger } from 'pino';
import type { Db } from '../store/database.ts';

/**
 * The services that reach servers that are not ours, which may answer as slowly as they like. A service is declared here
 * instead of in `Services`; then only steps that are marked as `foreign` get it (`src/operations/step-services.ts`).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the parts that own such a service add its member.
export interface ForeignServices {}

export interface Services extends ForeignServices {
  readonly db: Db;
  readonly log: Logger;
  /** The public address of the API, without a slash at the end. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  /** Where people decide about approvals: an address to which the id is appended. */
  readonly approvalsUrl: string;
}
