import { publicationOf } from '../../openapi/publication.ts';
import { act } from '../act.ts';
import { Site } from '../answers.ts';
import { Nothing } from '../shapes.ts';

export const siteActs = [
  act({
    id: 'getSite',
    method: 'GET',
    path: '/site',
    summary: 'See whose portal this is',
    input: Nothing,
    answer: Site,
    authority: 'none',
    reauthentication: false,
    audit: 'none',
    async handle({ services, session, context }) {
      const { portal, provider, server } = services.provider;
      const { name, logo, accent, support_url, terms_url, privacy_url } = portal;
      return {
        provider: {
          name: name ?? provider.name,
          logo_url: logo === null ? null : '/portal/logo',
          accent,
          support_url: support_url ?? `mailto:${provider.support_email}`,
          terms_url,
          privacy_url,
        },
        sign_up: portal.sign_up,
        signed_in: session !== null,
        // Without a configured address, the API is where the portal is.
        api_base_url: server.base_url ?? context.origin,
        spec_etag: publicationOf(services).whole('json').etag,
        mail: services.provider.mail.smtp === null ? ('files' as const) : ('smtp' as const),
      };
    },
  }),
];
