import type { Stage } from '../kernel/exchange.ts';
import { newId } from '../kernel/ids.ts';

/** Always our own: an id chosen by the caller could be made to collide with another's in our logs. */
export const requestId: Stage = (exchange) => {
  exchange.requestId = newId('request');
  exchange.headers['x-request-id'] = exchange.requestId;
};
