import { stringify } from 'yaml';
import type { OpenApiDocument } from './model.ts';

/** Shapes that occur twice are written twice: anchors are legal YAML, but few readers of specifications follow them. */
export function asYaml(document: OpenApiDocument): string {
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}
