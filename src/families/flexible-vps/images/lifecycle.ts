import { Lifecycle } from '../../../kernel/lifecycle.ts';

const states = ['creating', 'available', 'failed', 'deleting'] as const;
export type ImageState = (typeof states)[number];

export const imageLife = new Lifecycle<ImageState>({
  resource: 'image',
  table: 'vps_images',
  states,
  transitional: ['creating', 'deleting'],
  transitions: [
    { by: ['createImage'], from: null, through: 'creating', to: ['available', 'failed'] },
    { by: ['cancelOperation'], from: ['creating'], to: [null] },
    {
      by: ['deleteImage', 'time'],
      from: ['available', 'failed'],
      through: 'deleting',
      to: [null, 'failed'],
    },
  ],
});
