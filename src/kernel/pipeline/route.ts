import type { Stage } from '../exchange.ts';
import { Problem } from '../problems/problem.ts';

export const route: Stage = ({ endpoint, allowedMethods, incoming }) => {
  if (endpoint !== undefined) return;
  if (allowedMethods !== undefined) {
    throw new Problem('method_not_allowed', {
      detail: `${incoming.method} is not offered here; ${allowedMethods} ${allowedMethods.includes(',') ? 'are' : 'is'}.`,
      headers: { allow: allowedMethods },
    });
  }
  throw new Problem('endpoint_not_found');
};
