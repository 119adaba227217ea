/** In days: a usage report spans at most as many. */
export const LONGEST_PERIOD = 400;
