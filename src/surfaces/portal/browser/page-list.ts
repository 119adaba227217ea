/** The pages of the portal, for the tests that look at every one of them. `page-list.test.ts` says what is missing. */

/** As the command line opens it. */
export const cliLoginPage = `/portal/cli-login?challenge=${'A'.repeat(43)}&computer=${'W'.repeat(64)}&port=40123&state=${'s'.repeat(43)}`;

/** Without pages that show one thing of the account, whose address has its id. */
export const signedInPages: readonly string[] = [
  '/portal',
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
