/** True for `npm test -- --all`, which repeats what costs much and finds little. */
export const isLong = process.env['HOSTPLANE_TEST_ALL'] === '1';
