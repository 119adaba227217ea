/** All tables. A new family adds one. */
import type { Table } from '../phrases.ts';
import { account } from './account.ts';
import { acts } from './acts.ts';
import { flexibleVps } from './flexible-vps.ts';
import { ipManagement } from './ip-management.ts';
import { support } from './support.ts';

export const tables: readonly Table[] = [acts, account, flexibleVps, ipManagement, support];
