import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { sliceFrom } from '../../../kernel/pages/slice.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Named, OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { readPlaces, soldPlans } from './sold-plans.ts';

const Location = Named(
  'VpsLocation',
  Shape({
    slug: Type.String(),
    name: Type.String(),
    country: Type.String(),
    city: Type.String(),
    network_zone: Type.String(),
    features: Type.Array(OneOf(['ipv6', 'volumes', 'vpn', 'live_resize', 'nested_virtualization'])),
    architectures: Type.Array(OneOf(['amd64', 'arm64'])),
    status: OneOf(['available', 'limited', 'full', 'maintenance'], {
      description: '`limited`: there is room for some of the plans sold there; `full`: for none of them.',
    }),
  }),
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
