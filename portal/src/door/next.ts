/** Where to go after signing in: only to a page of this portal. An address with a token in it stands in the fragment. */
export function goOn(): void {
  const places = [location.search, location.hash.slice(1)].map((text) =>
    new URLSearchParams(text).get('next'),
  );
  const target = new URL(places.find((place) => place !== null) ?? '/portal', location.origin);
  const isOurs = target.origin === location.origin && /^\/portal(\/|$)/.test(target.pathname);
  location.replace(isOurs ? target.href : '/portal');
}

/** A one-time token stands in the fragment, which browsers do not send: only the button on the page does. */
export const tokenInFragment = (): string => location.hash.replace(/^#(token=)?/, '');

export const withNext = (page: string): string => `/portal/${page}${location.search}`;
