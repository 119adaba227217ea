/** Ends and removes what tests of dead processes left behind: databases, engines, temporary folders. */
import { removeLeftovers } from '../src/testing/folder.ts';

await removeLeftovers();
