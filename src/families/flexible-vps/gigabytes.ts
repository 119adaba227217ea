/** The unit of all sizes of this family that are named `_gb`, and of their prices: 2^30 bytes, as engines cut disks. */
export const BYTES_PER_GB = 1024 ** 3;

/** For the description of members that are named `_gb`. */
export const GB_MEANS = 'A GB has 2^30 bytes.';

/** Rounded up to 0.001 GB: a smaller change of the size does not change the price. */
export const inGb = (bytes: number): number => Math.ceil((bytes / BYTES_PER_GB) * 1000) / 1000;
