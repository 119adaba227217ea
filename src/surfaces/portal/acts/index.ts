/** All acts, by file. A file that is missing here is found by the laws over acts. */
import type { Act } from '../act.ts';
import { allowlistActs } from './allowlist.ts';
import { approvalActs } from './approvals.ts';
import { keyOptionActs } from './key-options.ts';
import { keyActs } from './keys.ts';
import { meActs } from './me.ts';
import { memberActs } from './members.ts';
import { signInActs } from './sign-in.ts';
import { siteActs } from './site.ts';

export const acts: readonly Act[] = [
  ...siteActs,
  ...signInActs,
  ...meActs,
  ...memberActs,
  ...keyOptionActs,
  ...keyActs,
  ...allowlistActs,
  ...approvalActs,
];
