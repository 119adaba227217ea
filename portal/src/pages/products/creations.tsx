/** Forms that create something, in place of those that are made from the document. */
import type { ComponentType } from 'react';
import type { Creation } from '../../resource/create.tsx';
import { shown } from './shown.tsx';

interface Props {
  readonly creation: Creation;
}

export const creations: Readonly<Record<string, ComponentType<Props>>> = {
  vm: shown<Props>(() => import('./vm/new-vm.tsx')),
  image: shown<Props>(() => import('./images/new-image.tsx')),
  iso: shown<Props>(() => import('./isos/new-iso.tsx')),
};
