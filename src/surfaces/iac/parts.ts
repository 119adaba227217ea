/** What people choose from: a module, a role or a scenario, with the permissions that it needs. */

export interface Part {
  readonly tool: 'terraform' | 'ansible';
  readonly kind: 'module' | 'role' | 'scenario';
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** The folder of its files, or its only file. */
  readonly path: string;
  /** An archive of this part alone; null if it has none. */
  readonly archive: string | null;
  /** The least that a key needs. */
  readonly permissions: readonly string[];
}
