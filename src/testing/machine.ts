/** For fixtures of other families: a running machine of Flexible VPS in fra1. */
export { makeVm } from '../families/flexible-vps/vms/fixture.ts';
