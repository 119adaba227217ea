/** Turns the errors of the schema validator into messages for the operator who edits the provider's file. */
import { nearest } from '../kernel/did-you-mean.ts';
import type { FieldError } from '../kernel/problems/problem.ts';
import type { TSchema } from '../kernel/schema.ts';
import { isRecord, shapeAt, valueAt } from './draft.ts';
import { pointerSegments, type Report } from './fault.ts';

/** Skips the `refused` paths: the YAML reader already reported a fault for each of them. */
export function explainShape(
  schema: TSchema,
  errors: readonly FieldError[],
  value: unknown,
  refused: readonly string[],
  report: Report,
): void {
  for (const error of errors) {
    // A fault inside a nullable member also causes a "must be null" error for the member itself; skip that error.
    const outer = errors.some((other) => other.pointer.startsWith(`${error.pointer}/`));
    if (!outer && !refused.includes(error.pointer)) explain(schema, error, value, report);
  }
}

function explain(
  schema: TSchema,
  { pointer, code, detail }: FieldError,
  value: unknown,
  report: Report,
): void {
  const segments = pointerSegments(pointer);
  const name = segments.at(-1) ?? '';
  switch (code) {
    case 'required':
      report(pointer, `${name} is missing.`, `Add ${name} here.`);
      return;
    case 'unknown_member': {
      const known = Object.keys(shapeAt(schema, segments.slice(0, -1)).properties ?? {});
      const meant = nearest(name, known);
      const fix = meant ? `Did you mean ${meant}?` : `Remove it; known here are: ${known.join(', ')}.`;
      report(pointer, `${name} is not known here.`, fix);
      return;
    }
    default:
      report(
        pointer,
        detail.replace(/^Must match pattern .*$/, 'This value does not have the required form.'),
        fixFor(shapeAt(schema, segments), valueAt(value, segments)),
      );
  }
}

function fixFor(shape: object, value: unknown): string {
  const type = 'type' in shape ? shape.type : undefined;
  const types = Array.isArray(type) ? type : [type];
  if (value === null) return 'Give it a value, or leave the member out.';
  if (types.includes('string') && typeof value === 'number') return `Put it in quotes: "${value}".`;
  if (types.includes('array') && !Array.isArray(value)) return 'Write a list: [a, b].';
  if (types.includes('object') && !isRecord(value)) return 'Write members below it, each as name: value.';
  if (types.includes('integer') && typeof value === 'string') return 'Write a whole number without quotes.';
  const [example] = 'examples' in shape && Array.isArray(shape.examples) ? shape.examples : [];
  return example === undefined ? 'Correct the value.' : `Write it as ${example}.`;
}
