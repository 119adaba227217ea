/** The pages of the portal, for the tests that look at every one of them. `page-list.test.ts` says what is missing. */
import type { Noun, NounFamily } from '../reference/nouns.ts';

/** As the command line opens it. */
export const cliLoginPage = `/portal/cli-login?challenge=${'A'.repeat(43)}&computer=${'W'.repeat(64)}&port=40123&state=${'s'.repeat(43)}`;

/** Without pages that show one thing of the account, whose address has its id. */
export const signedInPages: readonly string[] = [
  '/portal',
  '/portal/p/flexible-vps/vms/new',
  '/portal/api/keys',
  '/portal/api/keys?status=all&sort=name',
  '/portal/api/keys?q=nothing+has+these',
  '/portal/api/keys/allowlist',
  '/portal/api/keys/denials',
  '/portal/api/endpoints',
  '/portal/api/endpoints?q=nothing+has+these',
  '/portal/api/mine',
  '/portal/api/mine?q=nothing+has+these',
  '/portal/api/reference',
  '/portal/api/reference/createVm',
  '/portal/api/reference/noSuchOperation',
  '/portal/api/reference/errors',
  '/portal/api/reference/errors/name_taken',
  '/portal/api/reference/errors/no_such_code',
  '/portal/api/spec',
  '/portal/api/json',
  '/portal/api/json/getWhoami',
  '/portal/api/explorer',
  '/portal/api/explorer/createVm',
  '/portal/api/iac',
  '/portal/api/iac/ansible',
  '/portal/api/mcp',
  '/portal/api/mcp/vs-code',
  '/portal/api/mcp/other',
  '/portal/api/mcp/no-such-program',
  '/portal/api/examples',
  '/portal/operations',
  '/portal/operations?status=failed&type=vm.create&resource=vm_none',
  '/portal/approvals',
  '/portal/cli-login',
  cliLoginPage,
  '/portal/usage',
  '/portal/usage?period=90d&by=label&label=env',
  '/portal/budgets',
  '/portal/limits',
  '/portal/limits?family=account',
  '/portal/webhooks',
  '/portal/audit',
  '/portal/audit?who=key_none&action=createVm&resource=vm_none&result=failed&from=2026-01-01&until=2026-01-02',
  '/portal/settings',
  '/portal/members',
  '/portal/me',
  '/portal/me/security',
  '/portal/no-such-page',
];

export const pagesOfOneThing = (
  approvalId: string,
  keyId: string,
  webhookId: string,
  operationId: string,
): readonly string[] => [
  `/portal/approvals/${approvalId}`,
  `/portal/webhooks/${webhookId}`,
  `/portal/webhooks/${webhookId}?status=failed`,
  `/portal/operations/${operationId}`,
  `/portal/api/mine?key=${keyId}`,
];

/** Types of resources of each shape, because all pages of a shape are made by the same code. */
export function nounShapes(families: readonly NounFamily[]) {
  const all = families.filter(({ slug }) => slug !== 'account').flatMap(({ nouns }) => nouns);
  const partsOf = ({ name }: Noun): Noun[] =>
    all.filter(({ parent, rows }) => parent?.noun === name && rows !== undefined);
  const [whole] = all.toSorted((a, b) => partsOf(b).length - partsOf(a).length);
  const parts = partsOf(whole!);
  return {
    /** The one with the most tabs. */
    whole: whole!,
    tabs: [...parts, ...whole!.related.map(({ noun }) => all.find(({ name }) => name === noun)!)],
    part: parts.find(({ create, read }) => create !== undefined && read !== undefined)!,
    offered: all.find(({ rows, create, delete: gone }) => rows && !create && !gone)!,
  };
}

/** `idOf` gives the id of one of them, by the name of its type. */
export function productPages(
  families: readonly NounFamily[],
  idOf: (noun: string) => string,
): readonly string[] {
  const { whole, tabs, part, offered } = nounShapes(families);
  const list = `/portal/p/${whole.family}/${whole.slug}`;
  const one = `${list}/${idOf(whole.name)}`;
  return [
    `/portal/p/${whole.family}`,
    list,
    `${list}?name=nothing-has-this`,
    `${list}/new`,
    one,
    ...tabs.map(({ slug }) => `${one}?tab=${slug}`),
    `${one}?tab=activity`,
    `${one}?tab=api`,
    `${list}/gone`,
    '/portal/r/gone',
    `${one}/${part.slug}/new`,
    `${one}/${part.slug}/${idOf(part.name)}`,
    `/portal/p/${offered.family}/${offered.slug}`,
    `/portal/p/${whole.family}/no-such-noun`,
  ];
}

/** Addresses that open a dialog, by the file that has it. */
export const dialogPages: Readonly<Record<string, readonly string[]>> = {
  'pages/keys/create-key.tsx': [
    '/portal/api/keys?create=new',
    '/portal/api/keys?create=flexible-vps:vms:delete',
  ],
  'pages/keys/key-policy.tsx': ['/portal/api/keys?policy=edit'],
  'pages/keys/key-details.tsx': ['/portal/api/keys?key=unknown'],
  'pages/keys/allowlist.tsx': ['/portal/api/keys/allowlist?add=new'],
  'pages/budgets/budget-form.tsx': ['/portal/budgets?edit=new'],
  'pages/webhooks/webhook-form.tsx': ['/portal/webhooks?create=new'],
  'pages/audit/verify-chain.tsx': ['/portal/audit?verify=yes'],
  'pages/settings/close-account.tsx': ['/portal/settings?close=ask'],
  'pages/members/invite.tsx': ['/portal/members?invite=yes'],
  'pages/me/new-password.tsx': ['/portal/me/security?add=password'],
  'pages/me/add-totp.tsx': ['/portal/me/security?add=totp'],
  'pages/me/add-passkey.tsx': ['/portal/me/security?add=passkey'],
  'pages/me/recovery-codes.tsx': ['/portal/me/security?add=codes'],
};

/** The pages in front of the portal, and one that everybody may read. */
export const openPages: readonly string[] = [
  '/portal/sign-in',
  '/portal/sign-up',
  '/portal/verify',
  '/portal/verify#token',
  '/portal/recover',
  '/portal/recover#token',
  '/portal/join#token',
  '/portal/welcome#token',
  '/portal/api/reference/listVpsLocations',
  '/portal/api/mcp',
];
