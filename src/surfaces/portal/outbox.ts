/**
 * `/portal/outbox`: the mails that were written to files, for somebody who tries Hostplane without an SMTP server. The
 * mails contain links that sign in, so only a browser on the same machine gets the page, and only while the server
 * itself has a loopback address: behind a public address, any client could be a proxy on this machine.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Address } from '../../kernel/net/address.ts';
import type { Services } from '../../kernel/services.ts';
import { outboxFolder } from '../../mail/delivery.ts';
import { type FiledMail, readMailFile, readMailFiles } from '../../mail/files.ts';
import { knownClient } from '../http/known-client.ts';
import { html, type Markup, page, pageHeaders } from '../pages/html.ts';

const MOST_SHOWN = 50;

const isLoopback = ({ family, w3, text }: Address): boolean =>
  family === 4 ? w3 >>> 24 === 127 : text === '::1';

/** Also keeps out pages of other sites whose name leads to this machine. */
const isLoopbackName = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host);

function isHere(request: IncomingMessage, { provider, baseUrl, trustedProxies }: Services): boolean {
  const addresses = [baseUrl, provider.portal.base_url ?? baseUrl];
  const isPublic = addresses.some((address) => !isLoopbackName(new URL(address).host));
  if (provider.mail.smtp !== null || isPublic) return false;
  const client = knownClient(request, trustedProxies);
  return client !== null && isLoopback(client) && isLoopbackName(request.headers.host ?? '');
}

const LINK = /https?:\/\/\S+/g;

function withLinks(text: string): Markup {
  const links = [...text.matchAll(LINK)].map(([link]) => html`<a href="${link}">${link}</a>`);
  const between = text.split(LINK).map((part) => html`${part}`);
  return html`${between.flatMap((part, i) => (links[i] === undefined ? [part] : [part, links[i]]))}`;
}

const timeOf = ({ date }: FiledMail): string => `${date.slice(0, 19).replace('T', ' ')} UTC`;

const listPage = (mails: readonly FiledMail[]): string =>
  page(
    'Outbox',
    html`<h1>Outbox</h1>
<p class="soft">No SMTP server is configured, so mails are kept here. Only this machine sees this page.</p>
${mails.length === 0 ? html`<p>No mail was written yet.</p>` : html``}
<ul>${mails.map(
      (mail) => html`<li><a href="/portal/outbox/${mail.id}">${mail.subject}</a><br>
<span class="soft">to ${mail.to}, ${timeOf(mail)}</span></li>`,
    )}</ul>`,
  );

const mailPage = (mail: FiledMail): string =>
  page(
    mail.subject,
    html`<p><a href="/portal/outbox">Outbox</a></p>
<h1>${mail.subject}</h1>
<p class="soft">to ${mail.to}, ${timeOf(mail)}</p>
<pre>${withLinks(mail.text)}</pre>`,
  );

export function serveOutbox(app: FastifyInstance, services: Services): void {
  const serve = (url: string, bodyOf: (folder: string, id: string) => Promise<string | undefined>): void => {
    app.get(url, async ({ raw, params }: FastifyRequest, reply: FastifyReply) => {
      if (!isHere(raw, services)) return reply.callNotFound();
      const { id = '' } = params as { id?: string };
      const body = await bodyOf(outboxFolder(services.provider), id);
      if (body === undefined) return reply.callNotFound();
      return reply.headers({ ...pageHeaders, 'cache-control': 'no-store' }).send(body);
    });
  };
  serve('/portal/outbox', async (folder) => listPage(await readMailFiles(folder, MOST_SHOWN)));
  serve('/portal/outbox/:id', async (folder, id) => {
    const mail = await readMailFile(folder, id);
    return mail && mailPage(mail);
  });
}
