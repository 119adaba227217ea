import type { Watcher } from '../port.ts';
import type { Client } from './client.ts';

export class EventStream {
  constructor(_client: Client) {}

  watch(_watcher: Watcher): () => void {
    throw new Error('not written yet');
  }

  async close(): Promise<void> {}
}
