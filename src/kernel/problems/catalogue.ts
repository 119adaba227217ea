/**
 * The catalogue of all problems that the API can answer with. A code never changes its meaning inside v1, because
 * clients branch on it. The OpenAPI document, docs/errors.md and the answers themselves are all built from this table.
 */
import {
  collected,
  type FamilyFieldCode,
  type FamilyProblemCode,
  familyContracts,
} from '../../contract/families.ts';
import type { ProblemDefinition } from '../../contract/form.ts';
import { accessProblems } from './access.ts';
import { generalProblems } from './general.ts';
import { portalProblems } from './portal.ts';

export type { ProblemDefinition } from '../../contract/form.ts';

const own = { ...accessProblems, ...generalProblems };

export type ProblemCode = keyof typeof own | FamilyProblemCode | keyof typeof portalProblems;

const definitions = Object.entries(
  collected<ProblemDefinition>([
    own,
    ...familyContracts.map(({ problems: added = {} }) => added),
    portalProblems,
  ]),
);

/** Public problems in the order of their status, then those that only people meet. */
export const problems = Object.fromEntries([
  ...definitions
    .filter(([, { portalOnly }]) => !portalOnly)
    .sort(([, one], [, other]) => one.status - other.status),
  ...definitions.filter(([, { portalOnly }]) => portalOnly),
]) as Readonly<Record<ProblemCode, ProblemDefinition>>;

const generalFieldMeanings = {
  required: 'It is missing.',
  invalid_format: 'It is of another type or form.',
  out_of_range: 'The value is too low or too high.',
  too_long: 'The text has too many characters.',
  too_short: 'The text has too few characters.',
  too_many: 'It has too many items or members.',
  too_few: 'It has too few items or members.',
  not_unique: 'Another item has the same value.',
  unknown_member: 'The call does not take it.',
  unknown_reference: 'Nothing of yours has this id or name.',
  unknown_resource_type: 'There is no such type.',
  unknown_event_type: 'There is no such type.',
  immutable: 'This call cannot change it.',
  mutually_exclusive: 'It excludes another member.',
  incompatible: 'It does not fit other values, or is not offered.',
  location_mismatch: 'It is in another location, or not sold there.',
  reserved_name: 'The name is not free to choose.',
  blocked_address: 'Messages cannot be sent there.',
  unverified_email: 'Nobody has confirmed the address.',
  confirmation_missing: 'Repeat the name of what will be lost.',
  confirmation_mismatch: 'It is not the name of what will be lost.',
  hostplane_key: 'It contains an API key of ours.',
  hostplane_secret: 'It contains a signing secret of ours.',
  private_key: 'It contains a private key.',
  bearer_token: 'It contains a token that signs in everyone who has it.',
  known_vendor_key: 'It contains a key or token of another provider.',
} as const;

export type FieldCode = keyof typeof generalFieldMeanings | FamilyFieldCode;

/** The codes of errors about one field of a request, in `errors[]` of a 422, and what each of them means. */
export const fieldMeanings = collected<string>([
  generalFieldMeanings,
  ...familyContracts.map(({ fieldCodes: added = {} }) => added),
]) as Readonly<Record<FieldCode, string>>;

export const fieldCodes = Object.keys(fieldMeanings) as readonly FieldCode[];
