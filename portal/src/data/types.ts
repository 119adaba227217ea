/** The answers of the server that the pages show, as the acts and the records of the API declare them. */
import type { EffectView } from '../../../src/kernel/effect-view.ts';
import type { OperationView } from '../../../src/kernel/operations/schema.ts';
import type { DryRun } from '../../../src/pipeline/dry-run-shape.ts';
import type {
  AccessAnswer,
  AllowlistAnswer,
  ApprovalAnswer,
  InvitationAnswer,
  KeyOptionsAnswer,
  KeySummaryAnswer,
  MeAnswer,
  MemberAnswer,
  NewKeyAnswer,
  PreviewAnswer,
  SecurityAnswer,
} from '../../../src/surfaces/portal/answers.ts';
import type { KeyAnswer } from '../../../src/surfaces/portal/shapes.ts';

/** An answer as pages have it: nobody changes it. */
export type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

export interface List<Item> {
  readonly data: readonly Item[];
  readonly next_cursor?: string | null;
}

export type Me = Frozen<MeAnswer>;
export type Account = Me['accounts'][number];
export type ApiKey = Frozen<KeyAnswer>;
export type KeySummary = Frozen<KeySummaryAnswer>;
export type NewKey = Frozen<NewKeyAnswer>;
export type KeyOptions = Frozen<KeyOptionsAnswer>;
export type PermissionChoice = KeyOptions['families'][number]['resources'][number]['permissions'][number];
export type Access = Frozen<AccessAnswer>['data'][number];
export type Allowlist = Frozen<AllowlistAnswer>;
export type AllowlistMode = Allowlist['mode'];
export type EnforcePreview = Frozen<PreviewAnswer>;

/** By hand: what declares it needs the whole server. */
export interface Denial {
  readonly id: string;
  readonly cause: string;
  readonly code: string;
  readonly enforced: boolean;
  readonly key: { readonly id: string; readonly public_id: string; readonly name: string };
  readonly client_ip: string;
  readonly method: string;
  readonly path_template: string;
  readonly operation_id: string;
  readonly required_permission: string | null;
  readonly denied_by: readonly string[] | null;
  readonly user_agent: string | null;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly hint: string;
}

export type Effect = Frozen<EffectView>;
/** The answer to a dry run. */
export type Foreseen = Frozen<DryRun>;
/** What a dry run says that a call would change. */
export type ForeseenChange = Foreseen['changes'][number];
/** What the request kept of its dry run is passed on as it is. */
export type Approval = Omit<Frozen<ApprovalAnswer>, 'effects' | 'cost'> & {
  readonly effects: readonly Effect[];
  readonly cost: { readonly hourly?: string; readonly monthly?: string; readonly currency?: string } | null;
};
export type Member = Frozen<MemberAnswer>;
export type Invitation = Frozen<InvitationAnswer>;
export type Security = Frozen<SecurityAnswer>;
export type Operation = Frozen<OperationView>;
