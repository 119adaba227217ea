/** The pages of the portal that everybody may read: the reference, and what it is made of. The browser asks the same. */
export const isPublicPage = (path: string): boolean =>
  /^\/portal\/api\/(reference|endpoints|spec|json|iac|mcp)(\/|$)/.test(path);
