import type { Stage } from '../kernel/exchange.ts';
import { newId } from '../kernel/ids.ts';

/** Always generates the id: an id chosen by the client could collide with the id of another request in the logs. */
export const requestId: Stage = (exchange) => {
  exchange.requestId = newId('request');
  exchange.headers['x-request-id'] = exchange.requestId;
};
