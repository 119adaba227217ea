/** The introduction of the OpenAPI document: rules that apply to all operations. */
import { MISSING_MARKED, REFUSALS_ANSWERED, TEXT_ERRORS } from '../../pipeline/prefer.ts';

export const introduction = `\
**Key.** Send your API key in the header \`X-API-Key\`, exactly once. Your provider creates keys for
you (\`hostplane admin keys create\`). Each operation needs one permission, which \`x-permission\` names.
\`GET /openapi.json?for=me\` with a key returns only the operations that this key may call.

**Rate limit.** You may send 200 requests in any 60 seconds from one address (IPv6: one /64). The header \`RateLimit\`
says how many are left. After a 429, wait as many seconds as \`Retry-After\` says.

**Headers.** A request may have at most 100 headers, and its request line and headers at most 16 KiB together. Beyond
that it gets 431. Answers have the headers in \`x-common-headers\`, which no operation repeats.

**Repeating safely.** Send an \`Idempotency-Key\` with a POST that changes something: within 24 hours the same request
with the same key gets the same answer and has no second effect. With PUT, PATCH and DELETE you can send the \`ETag\` you
read as \`If-Match\`. Add \`dry_run=true\` to any call that changes something to run all checks without any effect.
The answer to a dry run has the media type \`application/vnd.hostplane.dry-run+json\`, or \`application/json\` if your
\`Accept\` header names only that.

**Updates.** PATCH takes a JSON merge patch, also as \`application/merge-patch+json\`: members you leave out stay
unchanged, null resets a member to the default of a new one.

**Events.** \`Event\` is the union of all event types, and \`type\` tells them apart. The section \`webhooks\` describes the
messages that your webhooks receive.

**Lists.** A list returns up to \`limit\` rows. Pass \`next_cursor\` as \`cursor\` with the same filters, or follow the
\`Link\` header, until \`next_cursor\` is null. Lists have no total count.

**Errors.** Every error is \`application/problem+json\` (RFC 9457). Branch on \`code\`, then on the status; \`next_step\`
says what to do. \`x-problem-codes\` of an operation lists its codes, except those of every call (key, address, server), which
are with the response \`Problem\`. With the header \`Prefer: ${TEXT_ERRORS}\`, every call answers errors as \`text/plain\` for
people: what is wrong, where, and what to do next. With \`Prefer: ${MISSING_MARKED}\`, a call to something that does not
exist changes nothing and answers 200 with \`{"gone": ["not_found"]}\`, for programs that cannot continue after a 404.
With \`Prefer: ${REFUSALS_ANSWERED}\`, a dry run of a call that would be refused answers 200 with the problem. Include the \`X-Request-Id\` when you ask your provider about a request.

**Values.** Times are RFC 3339 in UTC, money is a decimal string net of tax, ids are opaque strings. The API
refuses unknown members and query parameters. New members may appear in answers: ignore those you do not know.
`;
