/** What we sell, in the order of the contract. A new family is one line here. */
import type { Family } from '../kernel/registry.ts';
import { account } from './account/index.ts';
import { flexibleVps } from './flexible-vps/index.ts';

export const families: readonly Family[] = [account, flexibleVps];
