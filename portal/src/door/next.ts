/** Where to go after signing in: only to a page of this portal. */
export function goOn(): void {
  const asked = new URLSearchParams(location.search).get('next') ?? '/portal';
  const target = new URL(asked, location.origin);
  const isOurs = target.origin === location.origin && /^\/portal(\/|$)/.test(target.pathname);
  location.replace(isOurs ? target.href : '/portal');
}

/** A one-time token stands in the fragment, which browsers do not send: only the button on the page does. */
export const tokenInFragment = (): string => location.hash.replace(/^#(token=)?/, '');

export const withNext = (page: string): string => `/portal/${page}${location.search}`;
