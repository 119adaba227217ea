/**
 * The object store port: keeps the backups of one location outside of its machines' storage. Every call can be
 * repeated. A store sees only encrypted bytes.
 */
import type { Engine, Engines } from '../engine.ts';
import type { EnginePort } from '../engine-port.ts';
import type { Bandwidth } from './bandwidth.ts';

export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
}

/** Keys consist of letters, digits, `_` and `-`, with `/` between their parts. A prefix ends with `/`. */
export interface ObjectStore extends Engine {
  /** For what customers download. It has the same limit as what is written, and is counted apart. */
  readonly downloads: Bandwidth;
  /** Replaces an object with the same key. When the call returns, the object is stored durably. */
  put(key: string, bytes: Buffer, signal?: AbortSignal): Promise<void>;
  get(key: string, signal?: AbortSignal): Promise<Buffer | null>;
  list(prefix: string, signal?: AbortSignal): Promise<readonly StoredObject[]>;
  /** Removes all objects whose keys begin with the prefix, and what interrupted calls left of such objects. */
  removeAll(prefix: string, signal?: AbortSignal): Promise<void>;
}

export const objectsPort: EnginePort<ObjectStore> = {
  name: 'objects',
  engines: ({ objects }) => objects,
};

declare module '../../kernel/services.ts' {
  interface ForeignServices {
    readonly objects: Engines<ObjectStore>;
  }
}
