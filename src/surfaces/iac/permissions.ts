/** How to create a key with only the permissions that a module or a role needs. */

/** The page of the portal that creates keys, with the permissions chosen. */
export const createKeyLink = (baseUrl: string, permissions: readonly string[]): string =>
  `${baseUrl}/portal/api/keys?create=${permissions.join(',')}`;

/** The same for an operator, on the server. */
export const createKeyLine = (permissions: readonly string[]): string =>
  `hostplane admin keys create --name infrastructure ${permissions.map((each) => `--permission ${each}`).join(' ')}`;
