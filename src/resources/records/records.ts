/** The records that are derived from the view of a resource. */
export { creationOf } from './creation.ts';
export { deleteOf } from './delete-of.ts';
export { deletionOf } from './deletion.ts';
export { listOf } from './list-of.ts';
export { readOf } from './read-of.ts';
export { view } from './view.ts';
export { writeOf } from './write-of.ts';
