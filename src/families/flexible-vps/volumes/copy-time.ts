/** How long operations may take longer because a volume has to be copied. */
import type { Services } from '../../../kernel/services.ts';

/** The time to copy a large volume. */
export const COPY_SECONDS = 7200;

/** What a location needs to bring a volume to the server of a machine; nothing if all servers reach all volumes. */
export const copySeconds = ({ compute }: Pick<Services, 'compute'>, location: string): number =>
  compute.at(location)?.capabilities.volumesEverywhere === true ? 0 : COPY_SECONDS;
