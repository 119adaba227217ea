/**
 * The formats of secrets that no text of a customer may contain: our own, private keys, tokens that sign in whoever has
 * them, and the published formats of other providers. Random strings without a format cannot be told from ids.
 */
import { readPublicId } from '../access/key-format.ts';

/** What the contract calls the kinds of secrets, and what a refusal says of each. */
export const secretKinds = {
  hostplane_key: 'An API key of ours, which everyone who reads this text could use.',
  hostplane_secret: 'A signing secret of ours, which everyone who reads this text could use.',
  private_key: 'A private key. Others need only the public one.',
  bearer_token: 'A token that signs in everyone who has it.',
  known_vendor_key: 'A key or token of another provider.',
} as const;

export type SecretKind = keyof typeof secretKinds;

interface Format {
  readonly kind: SecretKind;
  /**
   * Repetitions have a limit, or begin after letters that are rare, so that a hostile text is searched quickly, too. What
   * a group `head` finds behind the match belongs to the secret.
   */
  readonly pattern: string;
  /**
   * Where it is recognised: by default as a word of its own; `in words`: also as a part of a longer word; `anywhere`: also
   * where the white space between words is missing, because nothing else looks like it.
   */
  readonly stands?: 'in words' | 'anywhere';
  readonly confirms?: (found: string) => boolean;
}

const hasDigits = (found: string): boolean => (found.match(/\d/g)?.length ?? 0) >= 3;

const ours: readonly Format[] = [
  // What answers and logs mask, so a text that contains it could not be shown as it was sent.
  { kind: 'hostplane_key', pattern: 'hpk1_[0-9A-Za-z]{12}_[0-9A-Za-z]{6,}', stands: 'in words' },
  {
    kind: 'hostplane_key',
    pattern: 'hpk1_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}',
    stands: 'anywhere',
    confirms: (found) => readPublicId(found) !== undefined,
  },
  { kind: 'hostplane_secret', pattern: 'whsec_[A-Za-z0-9+/]{32,128}={0,2}' },
];

const privateKeys: readonly Format[] = [
  {
    kind: 'private_key',
    pattern: '-----BEGIN ?(?:[A-Z0-9]{2,12} ?){0,3}PRIVATE ?KEY ?(?:BLOCK)?-----',
    stands: 'anywhere',
  },
  { kind: 'private_key', pattern: 'PuTTY-User-Key-File-[23]: ?[\\w-]{3,40}' },
  { kind: 'private_key', pattern: 'PrivateKey\\s{0,9}=\\s{0,9}[A-Za-z0-9+/]{43}=', stands: 'anywhere' },
  { kind: 'private_key', pattern: 'AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}', stands: 'anywhere' },
];

const bearerTokens: readonly Format[] = [
  {
    kind: 'bearer_token',
    // Searched from its first dot on, and back to its beginning: a text may consist of beginnings.
    pattern: '\\.(?=eyJ)(?<=(?<head>eyJ[\\w-]{10,400})\\.)[\\w-]{13,16003}\\.[\\w-]{10,2000}',
    stands: 'anywhere',
  },
  {
    kind: 'bearer_token',
    pattern: 'client-key-data:\\s{0,9}[A-Za-z0-9+/]{64,16000}={0,2}',
    stands: 'anywhere',
  },
  { kind: 'bearer_token', pattern: 'token:\\s{1,9}["\']?[A-Za-z0-9._-]{32,4000}', confirms: hasDigits },
  { kind: 'bearer_token', pattern: '[Bb]earer\\s{1,9}[A-Za-z0-9._~+/-]{32,4000}', confirms: hasDigits },
];

const vendor = (pattern: string, stands?: 'anywhere'): Format => ({
  kind: 'known_vendor_key',
  pattern,
  confirms: hasDigits,
  ...(stands ? { stands } : {}),
});

const vendors: readonly Format[] = [
  vendor('(?:AKIA|ASIA)[A-Z2-7]{16}'), // Amazon Web Services
  vendor('AIza[0-9A-Za-z_-]{35}', 'anywhere'), // Google
  vendor('AccountKey=[A-Za-z0-9+/]{86}==', 'anywhere'), // Azure storage
  vendor('gh[pousr]_[A-Za-z0-9]{36}', 'anywhere'), // GitHub
  vendor('github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}', 'anywhere'),
  vendor('glpat-[A-Za-z0-9_-]{20,64}', 'anywhere'), // GitLab
  vendor('xox[abeprs]-[A-Za-z0-9-]{20,250}'), // Slack
  vendor('hooks\\.slack\\.com/services/T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{18,32}', 'anywhere'),
  vendor('discord(?:app)?\\.com/api/webhooks/\\d{15,22}/[\\w-]{50,90}', 'anywhere'),
  vendor('(?:sk|rk)_live_[A-Za-z0-9]{20,120}', 'anywhere'), // Stripe
  vendor('sk-ant-[a-z0-9]{2,10}-[\\w-]{60,140}', 'anywhere'), // Anthropic
  vendor('sk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{40,200}'), // OpenAI
  vendor('hf_[A-Za-z0-9]{34,40}'), // Hugging Face
  vendor('npm_[A-Za-z0-9]{36}'),
  vendor('pypi-AgE[\\w-]{50,250}', 'anywhere'),
  vendor('dckr_pat_[\\w-]{27}', 'anywhere'), // Docker Hub
  vendor('SG\\.[\\w-]{22}\\.[\\w-]{43}', 'anywhere'), // SendGrid
  vendor('SK[0-9a-f]{32}'), // Twilio
  vendor('key-[0-9a-f]{32}'), // Mailgun
  vendor('\\d{8,10}:AA[\\w-]{33}'), // Telegram
  vendor('do[opr]_v1_[a-f0-9]{64}', 'anywhere'), // DigitalOcean
  vendor('hv[sbr]\\.[\\w-]{90,250}', 'anywhere'), // Vault
  vendor('[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,80}', 'anywhere'), // HCP Terraform
  vendor('shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}', 'anywhere'), // Shopify
  vendor('glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}', 'anywhere'), // Grafana
  vendor('tskey-(?:auth|api|client)-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,48}', 'anywhere'), // Tailscale
  vendor('dapi[a-f0-9]{32}'), // Databricks
  vendor('lin_api_[A-Za-z0-9]{40}', 'anywhere'), // Linear
];

interface Search {
  readonly kind: SecretKind;
  readonly pattern: RegExp;
  readonly confirms: (found: string) => boolean;
}

const all = [...ours, ...privateKeys, ...bearerTokens, ...vendors];
const always = () => true;

/** What could be mistaken is no part of a longer word. */
const alone = (pattern: string): string => `(?<![A-Za-z0-9])(?:${pattern})(?![A-Za-z0-9])`;

/** For text as people see it, where words have ends. */
export const inWords: readonly Search[] = all.map(({ kind, pattern, stands, confirms = always }) => ({
  kind,
  pattern: new RegExp(stands ? pattern : alone(pattern), 'g'),
  confirms,
}));

/** For text whose white space was taken out. */
export const inJoinedWords: readonly Search[] = all
  .filter(({ stands }) => stands === 'anywhere')
  .map(({ kind, pattern, confirms = always }) => ({ kind, pattern: new RegExp(pattern, 'g'), confirms }));

/** Shorter texts contain no secret of these formats. */
export const SHORTEST_SECRET = 20;
