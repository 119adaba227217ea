import type { Schedule } from '../schedule.ts';
import { forgetWhatExpired } from './store.ts';

export const retention: Schedule = {
  name: 'retention',
  everySeconds: 3600,
  run: ({ db }) => forgetWhatExpired(db),
};
