/** Creates a machine, waits until it runs, and prints what happened to it. */
import type { components } from './api.ts';
import { Client } from './client.ts';

type Event = components['schemas']['Event'];

/** `type` decides which members `data` has. */
function describe(event: Event): string {
  switch (event.type) {
    case 'vm.created':
      return `The machine ${event.resource?.name} was created.`;
    case 'operation.succeeded':
      return `The operation ${event.data.type} succeeded.`;
    case 'limit.nearly_reached':
      return `${event.data.used} of ${event.data.limit} are used: ${event.data.limit_id}.`;
    default:
      return event.message;
  }
}

const client = new Client(process.env['HOSTPLANE_URL'] ?? '', process.env['HOSTPLANE_API_KEY'] ?? '');
const machine = await client.post(
  '/flexible-vps/v1/vms',
  { wait: 30 },
  {
    name: 'typed-1',
    location: 'fra1',
    plan: 'flex-1-2',
    source: { type: 'image', image_id: 'debian-13' },
  },
);
console.log(`${machine.name} is ${machine.status} at ${machine.primary_ipv4}`);

const feed = await client.get('/account/v1/events', { resource_id: machine.id, wait: 30 });
for (const event of feed.data) console.log(describe(event));
