import type { Site } from '../data/site.ts';

/** The provider's logo, or the initial of its name on its colour. */
export function Brand({ site, size = 28 }: { site: Site | undefined; size?: number }) {
  const name = site?.provider.name ?? '';
  if (site?.provider.logo_url)
    return (
      <img
        src={site.provider.logo_url}
        alt=""
        width={size}
        height={size}
        className="rounded-md object-contain"
      />
    );
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32" className="shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <text x="16" y="22" textAnchor="middle" className="fill-white font-sans text-[17px] font-semibold">
        {name.slice(0, 1).toUpperCase()}
      </text>
    </svg>
  );
}
