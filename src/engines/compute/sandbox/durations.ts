/** The duration of each task at pace 1, in milliseconds. */
export const TIMES = {
  create: 4_000,
  copy: 6_000,
  remove: 1_200,
  start: 1_500,
  boot: 9_000,
  bootWindows: 45_000,
  shutdown: 2_500,
  cut: 400,
  resize: 900,
  move: 3_000,
  nic: 300,
  snapshot: 800,
  restore: 1_500,
  rebuild: 4_000,
  image: 8_000,
  iso: 2_000,
  network: 600,
  firewall: 150,
  volume: 700,
  attach: 400,
  gateway: 5_000,
  tunnel: 200,
  password: 200,
} as const;

export type Task = keyof typeof TIMES;
