/**
 * Verbs that people type because other programs have them. Each leads to the first of its meanings that the resource has;
 * a verb of the resource itself always comes first.
 */
const meanings: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  describe: ['get'],
  show: ['get'],
  info: ['get'],
  rm: ['delete'],
  remove: ['delete', 'detach'],
  destroy: ['delete'],
  terminate: ['delete'],
  new: ['create'],
  add: ['create', 'attach'],
  edit: ['update', 'set'],
  modify: ['update', 'set'],
  rename: ['update'],
  start: ['power-on'],
  boot: ['power-on'],
  stop: ['shutdown', 'power-off', 'cancel'],
  halt: ['shutdown', 'power-off'],
  kill: ['power-off'],
  reboot: ['restart'],
  rebuild: ['redeploy'],
  reinstall: ['redeploy'],
  rollback: ['restore'],
  grow: ['resize'],
  expand: ['resize'],
  mount: ['attach'],
  unmount: ['detach'],
  umount: ['detach'],
};

/** Verbs with the same meaning as the one that was typed, the best first. */
export const meaningsOf = (verb: string): readonly string[] => meanings[verb] ?? [];

export const usualVerbs: readonly string[] = Object.keys(meanings);
