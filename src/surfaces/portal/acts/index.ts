/** All acts, by file. The laws over acts find a file that is missing here. */
import type { Act } from '../act.ts';
import { accountActs } from './account.ts';
import { allowlistActs } from './allowlist.ts';
import { approvalActs } from './approvals.ts';
import { cliLoginActs } from './cli-logins.ts';
import { invitationActs } from './invitations.ts';
import { keyOptionActs } from './key-options.ts';
import { keyActs } from './keys.ts';
import { meActs } from './me.ts';
import { memberActs } from './members.ts';
import { sampleActs } from './samples.ts';
import { searchActs } from './search.ts';
import { securityActs } from './security.ts';
import { signInActs } from './sign-in.ts';
import { signUpActs } from './sign-up.ts';
import { siteActs } from './site.ts';

export const acts: readonly Act[] = [
  siteActs,
  signUpActs,
  signInActs,
  meActs,
  securityActs,
  accountActs,
  memberActs,
  invitationActs,
  keyOptionActs,
  keyActs,
  cliLoginActs,
  allowlistActs,
  approvalActs,
  searchActs,
  sampleActs,
].flat();
