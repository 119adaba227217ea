/**
 * Generates docs/errors.md from the problem catalogue, with the same texts as the answers and the OpenAPI document.
 */
import {
  fieldCodes,
  fieldMeanings,
  type ProblemCode,
  type ProblemDefinition,
  problems,
} from '../../kernel/problems/catalogue.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

function row(
  code: string,
  { status, title, when, next_step, extra = [], retryable }: ProblemDefinition,
): string {
  const members = extra.map((name) => `\`${name}\``).join(', ');
  const again = retryable ? 'yes' : '';
  return `| <a id="${code}"></a>\`${code}\` | ${status} | ${[title, when, next_step].map(cell).join(' | ')} | ${again} | ${members} |`;
}

function table(codes: readonly ProblemCode[]): string {
  return [
    '| code | status | title | when | what to do | retryable | extra members |',
    '|---|---|---|---|---|---|---|',
    ...codes.map((code) => row(code, problems[code])),
  ].join('\n');
}

export function errorsPage(): string {
  const codes = Object.keys(problems) as ProblemCode[];
  const isPortalOnly = (code: ProblemCode): boolean => problems[code].portalOnly === true;
  return `<!-- Generated from src/kernel/problems/catalogue.ts by \`npm run spec\`. Edit the catalogue, not this page. -->

# Errors

Every error is an \`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, \`instance\`,
\`code\`, \`request_id\`, \`next_step\`, \`retryable\` and \`errors\`; some codes add the members named below.

## How to react

1. **Branch on \`code\`, then on the status.** A code never changes its meaning inside v1, but new codes may appear: treat
   an unknown code by its status. \`title\` and \`detail\` are for people.
2. **Wait before you retry.** If the answer has \`Retry-After\` (also \`retry_after_seconds\`), wait that many seconds, then
   send the same request. If \`retryable\` is false, the identical request will be refused again.
3. **Repeat with the same \`Idempotency-Key\`.** After a 5xx, a 408 or a lost connection, repeat a POST with the same
   key: if the first request took effect, you get its answer with \`Idempotent-Replayed: true\` and nothing happens twice.
4. **Correct all fields at once.** A 422 \`validation_failed\` lists every invalid field in \`errors\`, each with a
   \`pointer\` (JSON Pointer into the body, or \`query/<name>\`, \`header/<name>\`, \`path/<name>\`), a \`code\` and a \`detail\`.
   If the field names something that must exist, the \`detail\` names what you sent, the nearest valid value, the valid
   values if they are few, and the call that lists them. In the specification, \`x-ref\` names the same list.
5. **Keep the \`X-Request-Id\`.** It is on every answer, and in every problem as \`request_id\`. Your provider needs it to find
   your request.

## Codes

${table(codes.filter((code) => !isPortalOnly(code)))}

## Codes of single fields

These codes appear in \`errors[].code\`.

| code | meaning |
|---|---|
${fieldCodes.map((code) => `| \`${code}\` | ${fieldMeanings[code]} |`).join('\n')}

## Codes of the command line

Only the operator's command line returns these codes; no API call does.

${table(codes.filter(isPortalOnly))}
`;
}
