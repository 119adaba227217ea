import type { Site } from '../data/site.ts';

/** What every page in front of the portal gets. */
export interface DoorProps {
  readonly site: Site | undefined;
}
