/** Whether a pattern such as `flexible-vps:*:read` includes the permission. */
export const grants = (pattern: string, permission: string): boolean => {
  const wanted = permission.split(':');
  return pattern.split(':').every((part, i) => part === '*' || part === wanted[i]);
};
