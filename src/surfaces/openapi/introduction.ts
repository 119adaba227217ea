/** The introduction of the OpenAPI document: rules that apply to all operations. */
export const introduction = `\
**Key.** Send your API key in the header \`X-API-Key\`, exactly once. Keys are made in the portal under
Developers > API > Keys. Each operation names the one permission it needs (\`x-permission\`);
\`GET /openapi.json?for=me\` with a key shows only what that key may call.

**Rate limit.** 200 requests in any 60 seconds from one address (IPv6: one /64). \`RateLimit\` says how many are left;
a 429 says in \`Retry-After\` how long to wait.

**Repeating safely.** A POST that changes something takes an \`Idempotency-Key\`: within 24 hours the same request with
the same key gets the same answer and has no second effect. PUT, PATCH and DELETE take \`If-Match\` with the \`ETag\` you
read. Every changing call takes \`dry_run=true\`: all checks, no effect.

**Lists.** \`limit\` rows at a time; pass \`next_cursor\` as \`cursor\` with the same filters, or follow the \`Link\` header,
until \`next_cursor\` is null. There are no totals.

**Refusals.** \`application/problem+json\` (RFC 9457). Branch on \`code\`, then on the status; \`next_step\` says what to do.
Name the \`X-Request-Id\` when you ask us about a request.

**Values.** Times are RFC 3339 in UTC, money is a decimal string net of tax, ids are opaque. Unknown members and query
parameters are refused; new members may appear in answers.
`;
