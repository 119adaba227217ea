/** What is made by hand where people would rather look than read facts. Everything else is made from the document. */
import type { Override } from '../../resource/detail.tsx';

export const overrides: Readonly<Record<string, Override>> = {
  vm: { main: ({ status }) => (status === 'stopped' ? ['Power on'] : ['Restart', 'Shutdown']) },
};
