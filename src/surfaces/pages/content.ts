/** What the pages say, as JSON for programs and as HTML for people. All of it comes from the registry and the catalogue. */
import { type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import type { Services } from '../../kernel/services.ts';
import { topicsOf } from '../../kernel/topics.ts';
import { installCommand } from '../cli-package/commands.ts';
import { html, type Markup, page } from './html.ts';

export interface Page {
  readonly json: object;
  readonly html: string;
}

type Facts = Pick<Services, 'registry' | 'provider' | 'baseUrl' | 'docsUrl'>;

const FIRST_CALL = '/account/v1/whoami';

const publicCodes = (Object.keys(problems) as ProblemCode[]).filter((code) => !problems[code].portalOnly);

const links = ({ docsUrl, baseUrl }: Facts): readonly (readonly [string, string, string])[] => [
  ['docs', docsUrl, 'what the API offers, and how to use it'],
  ['openapi_json', '/openapi.json', 'the specification, for tools and generators; /openapi.yaml is the same'],
  ['errors', `${docsUrl}/errors`, 'each error code, and what to do about it'],
  ['command_line', '/cli.sh', `the command line; install it with: ${installCommand(baseUrl)}`],
  ['status', '/readyz', 'whether the service is ready'],
];

const curl = (baseUrl: string): string => `curl -H "X-API-Key: $HOSTPLANE_API_KEY" ${baseUrl}${FIRST_CALL}`;

const firstCall = ({ baseUrl }: Facts): Markup => html`
<h2>Your first call</h2>
<p>Your provider gives you an API key. Send it in the header <code>X-API-Key</code>:</p>
<pre><code>${curl(baseUrl)}</code></pre>
<p>The answer says which key you use and what it may do.</p>`;

export function indexPage(facts: Facts, version: string): Page {
  const { provider, baseUrl } = facts;
  const { name, support_email } = provider.provider;
  const absolute = (href: string): string => (href.startsWith('/') ? `${baseUrl}${href}` : href);
  return {
    json: {
      name,
      version,
      ...Object.fromEntries(links(facts).map(([key, href]) => [key, absolute(href)])),
      first_call: curl(baseUrl),
      contact: support_email,
    },
    html: page(
      `${name} API`,
      html`<h1>${name} API</h1>
<p class="soft">Hostplane ${version}. This is the address of an API: programs call it with an API key.</p>
${firstCall(facts)}
<h2>Go on</h2>
<ul>${links(facts).map(([key, href, says]) => html`<li><a href="${href}">${key.replace('_', '.')}</a><br><span class="soft">${says}</span></li>`)}</ul>
<p class="soft">Questions? Write to <a href="mailto:${support_email}">${support_email}</a>.</p>`,
    ),
  };
}

/** For somebody whose browser asks for a path that is not there. */
export const strayPage = ({ provider }: Facts, hasPortal: boolean): string =>
  page(
    'There is no such page',
    html`<h1>There is no such page</h1>
<p>The address may be mistyped, or the page has moved.</p>
<ul>
${hasPortal ? html`<li><a href="/portal">Go to the portal</a><br><span class="soft">Your machines, keys and costs.</span></li>` : html`<li><a href="/">Go to the first page</a></li>`}
<li><a href="/docs">Read about the API</a><br><span class="soft">All paths that programs can call.</span></li>
</ul>
<p class="soft">Questions? Write to <a href="mailto:${provider.provider.support_email}">${provider.provider.support_email}</a>.</p>`,
  );

export function docsPage(facts: Facts, version: string): Page {
  const families = facts.registry.families
    .filter(({ endpoints }) => endpoints.length > 0)
    .map((family) => ({
      name: family.name,
      title: family.title,
      description: family.description,
      resources: topicsOf(family).map(({ name, title, purpose, endpoints }) => ({
        name,
        title,
        purpose,
        endpoints: endpoints.map(({ id, method, path, summary, permission }) => {
          return { id, method, path, summary, permission };
        }),
      })),
    }));
  return {
    json: {
      version,
      specification: `${facts.baseUrl}/openapi.json`,
      errors: `${facts.docsUrl}/errors`,
      families,
    },
    html: page(
      'API reference',
      html`<h1>API reference</h1>
<p class="soft">Version ${version}. Every parameter, answer and example is in <a href="/openapi.json">openapi.json</a>;
most API tools can open it. <a href="${facts.docsUrl}/errors">Errors</a> says what to do about each error code.</p>
${firstCall(facts)}
<h2>Rules for all calls</h2>
<p>Errors are JSON with a stable <code>code</code> and a <code>next_step</code>. Add <code>?dry_run=true</code> to a call
that changes something to run all its checks without any effect. Send an <code>Idempotency-Key</code> with a POST to
repeat it safely. One address may send 200 requests a minute.</p>
${families.map(
  (family) => html`<h2>${family.title}</h2>
<p class="soft">${family.description}</p>
${family.resources.map(
  ({ title, purpose, endpoints }) => html`<h3>${title}</h3>
<p class="soft">${purpose}</p>
<ul>${endpoints.map(({ method, path, summary }) => html`<li>${summary}<br><code>${method} ${path}</code></li>`)}</ul>`,
)}`,
)}`,
    ),
  };
}

export function errorsPage(): Page {
  const codes = publicCodes.map((code) => {
    const { status, title, when, next_step } = problems[code];
    return { code, status, title, when, next_step };
  });
  return {
    json: { errors: codes },
    html: page(
      'Errors',
      html`<h1>Errors</h1>
<p class="soft">Branch on <code>code</code>, then on the status. The <code>request_id</code> of an error helps your
provider to find the request.</p>
<dl>${codes.map(
        ({ code, status, when, next_step }) => html`<div id="${code}"><dt><code>${code}</code> ${status}</dt>
<dd>${when}<br><span class="soft">${next_step}</span></dd></div>`,
      )}</dl>`,
    ),
  };
}

/** `approve_url` of a call that waits for a decision leads here. */
export function approvalsPage(): Page {
  const commands = [
    'hostplane admin approvals list',
    'hostplane admin approvals show <id>',
    'hostplane admin approvals approve <id>',
  ];
  return {
    json: { commands },
    html: page(
      'Approvals',
      html`<h1>Approvals</h1>
<p>A key asked for a call that a person has to approve first. Your provider decides, with the command line. The id is
the part of this address after <code>#</code>, and <code>operation_id</code> in the answer.</p>
<pre><code>${commands.join('\n')}</code></pre>
<p>After that, send the identical call again with the header <code>Approval-Id</code>.</p>`,
    ),
  };
}

/** The page of one code: `type` of every problem leads here. */
export function errorPage(code: string): Page | undefined {
  const known = publicCodes.find((each) => each === code);
  if (known === undefined) return undefined;
  const { status, title, when, next_step } = problems[known];
  return {
    json: { code, status, title, when, next_step },
    html: page(
      title,
      html`<h1>${title}</h1><p><code>${code}</code> ${status}</p><p>${when}</p><h2>What to do</h2><p>${next_step}</p>`,
    ),
  };
}
