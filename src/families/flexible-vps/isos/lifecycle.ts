import { Lifecycle } from '../../../kernel/lifecycle.ts';

const states = {
  downloading: 'The file is being downloaded.',
  verifying: 'The file is being checked and stored.',
  available: 'Machines can have the ISO in their drive.',
  failed: 'The ISO was not imported, or was lost; `failure` says why. It is deleted after 7 days.',
  deleting: 'The ISO is being deleted.',
} as const;
export type IsoState = keyof typeof states;

export const isoLife = new Lifecycle<IsoState>({
  resource: 'iso',
  noun: 'ISO',
  table: 'vps_isos',
  states,
  transitional: ['downloading', 'verifying', 'deleting'],
  transitions: [
    { by: ['createIso'], from: null, through: 'downloading', to: ['available', 'failed'] },
    { by: ['createIso'], from: null, through: 'verifying', to: ['available', 'failed'] },
    { by: ['engine'], from: ['available'], to: ['failed'] },
    { by: ['cancelOperation'], from: ['downloading', 'verifying'], to: [null] },
    { by: ['deleteIso', 'time'], from: ['available', 'failed'], through: 'deleting', to: [null, 'failed'] },
  ],
});
