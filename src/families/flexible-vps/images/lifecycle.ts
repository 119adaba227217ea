import { Lifecycle } from '../../../kernel/lifecycle.ts';

const states = {
  creating: 'The image is being copied from a machine or downloaded.',
  available: 'Machines can be created from the image.',
  failed: 'The image was not created; `failure` says why. It is deleted after 7 days.',
  deleting: 'The image is being deleted.',
} as const;
export type ImageState = keyof typeof states;

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
