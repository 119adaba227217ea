/** The answers of the API that the pages of an account show, as its records declare them. */
import type { AuditEntry as AuditAnswer } from '../../../src/families/account/audit-log/schema.ts';
import type { Budget as BudgetAnswer } from '../../../src/families/account/budgets/schema.ts';
import type { KeyDenial } from '../../../src/families/account/key-denials/schema.ts';
import type { Limit as LimitAnswer } from '../../../src/families/account/limits/schema.ts';
import type { Profile } from '../../../src/families/account/profile/schema.ts';
import type { ResourceSummary as ResourceAnswer } from '../../../src/families/account/resources/schema.ts';
import type { Usage as UsageAnswer } from '../../../src/families/account/usage/schema.ts';
import type { Delivery as DeliveryAnswer } from '../../../src/families/account/webhook-deliveries/schema.ts';
import type { Webhook as WebhookAnswer } from '../../../src/families/account/webhooks/schema.ts';
import type { OperationKind as Kind } from '../../../src/surfaces/portal/reference/kinds-of.ts';
import type { Frozen } from './types.ts';

/** What the server says about a kind of operation, such as `vm.create`. */
export type OperationKind = Frozen<Kind>;
export type AuditEntry = Frozen<AuditAnswer>;
export type Denial = Frozen<KeyDenial>;
export type Usage = Frozen<UsageAnswer>;
export type UsageGroup = Usage['groups'][number];
export type Budget = Frozen<BudgetAnswer>;
export type Threshold = Budget['thresholds'][number];
export type Webhook = Frozen<WebhookAnswer>;
export type Delivery = Frozen<DeliveryAnswer>;
export type Limit = Frozen<LimitAnswer>;
export type AccountProfile = Frozen<Profile>;
export type Contacts = AccountProfile['contacts'];
export type ResourceSummary = Frozen<ResourceAnswer>;
