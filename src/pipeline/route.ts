import type { Stage } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';

export const route: Stage = ({ endpoint, allowedMethods, incoming }) => {
  if (endpoint !== undefined) return undefined;
  if (allowedMethods !== undefined) {
    return new Problem('method_not_allowed', {
      detail: `${incoming.method} is not offered here; ${allowedMethods} ${allowedMethods.includes(',') ? 'are' : 'is'}.`,
      headers: { allow: allowedMethods },
    });
  }
  return new Problem('endpoint_not_found');
};
