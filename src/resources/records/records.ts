/** The records that are derived from the view of a resource. */
export { deleteOf } from './delete-of.ts';
export { listOf } from './list-of.ts';
export { readOf } from './read-of.ts';
export { view } from './view.ts';
