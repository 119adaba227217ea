import type { Db } from '../../store/database.ts';
import { findMemberships, type Membership } from './store.ts';

/** The accounts that the person may enter, oldest first. */
export const listMemberships = (db: Db, personId: string): Promise<Membership[]> =>
  findMemberships(db, personId);
