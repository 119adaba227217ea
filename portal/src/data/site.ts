/** What the provider says about itself, and how the page takes on its colour. */
import type { SiteAnswer } from '../../../src/surfaces/portal/answers.ts';
import { get } from './http.ts';
import type { Frozen } from './types.ts';

export type Site = Frozen<SiteAnswer>;

export const readSite = (): Promise<Site> => get<Site>('/portal/v1/site');

type Rgb = readonly [number, number, number];

const parse = (hex: string): Rgb | null => {
  const digits = /^#([0-9a-f]{6})$/i.exec(hex)?.[1];
  if (digits === undefined) return null;
  const at = (i: number): number => Number.parseInt(digits.slice(i, i + 2), 16);
  return [at(0), at(2), at(4)];
};

const mix = (a: Rgb, b: Rgb, part: number): Rgb => [
  Math.round(a[0] + (b[0] - a[0]) * part),
  Math.round(a[1] + (b[1] - a[1]) * part),
  Math.round(a[2] + (b[2] - a[2]) * part),
];

const luminance = (colour: Rgb): number => {
  const [r, g, b] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

/** Moves the colour towards another one until it can be read on the background. */
function readable(colour: Rgb, towards: Rgb, background: Rgb, wanted: number): Rgb {
  for (let part = 0; part <= 1; part += 0.05) {
    const tried = mix(colour, towards, part);
    if (contrast(tried, background) >= wanted) return tried;
  }
  return towards;
}

const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;

/** All shades are made from the provider's one colour; a colour that white text cannot be read on is not used. */
export function accentShades(hex: string, isDark: boolean): Record<string, string> | null {
  const accent = parse(hex);
  if (accent === null || contrast(accent, WHITE) < 4.5) return null;
  const soft = isDark ? mix(accent, [14, 17, 22], 0.78) : mix(accent, WHITE, 0.91);
  const lighter = mix(accent, WHITE, 0.06);
  const ink = isDark ? readable(accent, WHITE, soft, 6) : readable(accent, BLACK, soft, 6);
  return {
    '--accent': css(accent),
    '--accent-hover': css(isDark && contrast(lighter, WHITE) >= 4.5 ? lighter : mix(accent, BLACK, 0.16)),
    '--accent-ink': css(ink),
    '--accent-soft': css(soft),
  };
}

export type Theme = 'system' | 'light' | 'dark';

export const isDark = (): boolean => {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
};

export const chosenTheme = (): Theme =>
  (document.documentElement.dataset['theme'] as Theme | undefined) ?? 'system';

let accentInUse: string | null = null;

export function paint(accent: string | null = accentInUse): void {
  accentInUse = accent;
  const shades = accent === null ? null : accentShades(accent, isDark());
  const { style } = document.documentElement;
  for (const name of ['--accent', '--accent-hover', '--accent-ink', '--accent-soft'])
    if (shades === null) style.removeProperty(name);
    else style.setProperty(name, shades[name] ?? '');
  localStorage.setItem('hp-accent', JSON.stringify(shades));
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme'];
    localStorage.removeItem('hp-theme');
  } else {
    document.documentElement.dataset['theme'] = theme;
    localStorage.setItem('hp-theme', theme);
  }
  paint();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => paint());
