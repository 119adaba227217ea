/**
 * A part that only has the call that takes it away is made by a verb of its parent: `firewall attach`, `firewall add-rule`.
 * So the call that takes it away is also a verb of the parent: `firewall detach`, `firewall remove-rule`.
 */

import { verbOf } from '../../../src/surfaces/cli-package/command-words.ts';
import type { Operation } from './operation.ts';

export function partCommands(operations: readonly Operation[]): Operation[] {
  const nameOf = ({ words: { family, resource, verb } }: Operation): string =>
    `${family} ${resource} ${verb}`;
  const taken = new Set(operations.map(nameOf));
  return operations
    .flatMap((operation) => {
      const { id, path, resource } = operation;
      const isOnly = operations.filter((each) => each.resource.name === resource.name).length === 1;
      const parent = operations.find((each) => each.resource.name === resource.parent?.name);
      if (resource.role !== 'delete' || !isOnly || parent === undefined) return [];
      const verb = verbOf({ id, path, resource: parent.resource.name, role: 'action' });
      const { family, resource: noun, otherResource } = parent.words;
      return [{ ...operation, words: { family, resource: noun, verb, otherResource } }];
    })
    .filter((command) => !taken.has(nameOf(command)));
}
