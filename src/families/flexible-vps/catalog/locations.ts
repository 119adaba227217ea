import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { sliceFrom } from '../../../kernel/pages/slice.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { byCatalogue, Named, OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { Architecture } from '../hardware.ts';
import { readPlaces, soldPlans } from './sold-plans.ts';

const Location = Named(
  'VpsLocation',
  Shape({
    slug: Type.String({ description: 'The short name of the location, which requests use, such as `fra1`.' }),
    name: Type.String({ ...byCatalogue, description: 'The name of the location for people.' }),
    country: Type.String({ description: 'The country, as an ISO 3166 code with two letters.' }),
    city: Type.String({ ...byCatalogue, description: 'The city that the data centre is in or near.' }),
    network_zone: Type.String({
      description: 'Locations with the same value are close to each other in the network.',
    }),
    features: Type.Array(
      OneOf({
        ipv6: 'Machines can have public IPv6 addresses.',
        volumes: 'Volumes can be attached to machines.',
        vpn: 'Private networks can have a VPN gateway.',
        live_resize: 'Machines can grow while they run.',
        nested_virtualization: 'Machines can run virtual machines themselves.',
      }),
      { description: 'What the location offers beyond machines.' },
    ),
    architectures: Type.Array(Architecture, {
      description: 'The kinds of processor that machines can have there.',
    }),
    status: OneOf(
      {
        available: 'There is room for all plans that are sold there.',
        limited: 'There is room for some of the plans that are sold there.',
        full: 'There is room for none of the plans that are sold there.',
        maintenance: 'No machines can be created at the moment.',
      },
      { description: 'Whether new machines find room there.' },
    ),
  }),
  { columns: ['name', 'city', 'country', 'status'] },
);

export const listVpsLocations = endpoint({
  id: 'listVpsLocations',
  method: 'GET',
  path: '/flexible-vps/v1/locations',
  summary: 'List locations of machines',
  description: 'Shows what each location offers and whether it has free capacity, as of some seconds ago.',
  permission: 'flexible-vps:catalog:read',
  access: 'read',
  resource: { name: 'vps_location', role: 'list' },
  query: ListQuery({}, { sort: ['slug'] }),
  answers: { 200: List(Location) },
  problems: [],
  example: {
    answer: {
      status: 200,
      body: {
        data: [
          {
            slug: 'fra1',
            name: 'Frankfurt 1',
            country: 'DE',
            city: 'Frankfurt am Main',
            network_zone: 'eu-central',
            features: ['ipv6', 'volumes', 'vpn', 'live_resize', 'nested_virtualization'],
            architectures: ['amd64', 'arm64'],
            status: 'available',
          },
        ],
        next_cursor: null,
      },
    },
  },
  async handle(call) {
    const { services, now } = call;
    const places = await readPlaces(services, soldPlans(services.provider.catalogue, now));
    const rows = [...places.values()]
      .map(({ location, status }) => {
        const { slug, name, country, city, network_zone, features, architectures } = location;
        return { slug, name, country, city, network_zone, features, architectures, status };
      })
      .sort((a, b) => (a.slug < b.slug ? -1 : 1));
    const { page, nextCursor } = sliceFrom(call, 'listVpsLocations', rows, ({ slug }) => slug);
    return ok({ data: page, next_cursor: nextCursor });
  },
});
