/** The answers of the server that the pages show, as the acts and the records of the API declare them. */
import type { EffectView } from '../../../src/kernel/effect-view.ts';
import type { OperationView } from '../../../src/kernel/operations/schema.ts';
import type { DryRun } from '../../../src/pipeline/dry-run-shape.ts';
import type {
  AccessAnswer,
  AllowlistAnswer,
  ApprovalAnswer,
  HappeningsAnswer,
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

export type Effect = Frozen<EffectView>;
/** The answer to a dry run. */
export type Foreseen = Frozen<DryRun>;
/** What a dry run says that a call would change. */
export type ForeseenChange = Foreseen['changes'][number];
export type Approval = Frozen<ApprovalAnswer>;
export type Happenings = Frozen<HappeningsAnswer>;
export type Member = Frozen<MemberAnswer>;
export type Invitation = Frozen<InvitationAnswer>;
export type Security = Frozen<SecurityAnswer>;
export type Operation = Frozen<OperationView>;
