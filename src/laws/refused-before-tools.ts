/** Refused before a tool runs: the program that speaks MCP gets them as answers to its HTTP request. */
export const REFUSED_BEFORE_TOOLS: readonly string[] = [
  'api_key_missing',
  'api_key_malformed',
  'bearer_not_supported',
  'not_acceptable',
  'unsupported_media_type',
  'headers_too_large',
  'payload_too_large',
  'malformed_request',
];
