/** Where the portal is, and how its pages are opened in a browser. */
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import type { Client } from '../http/client.ts';
import type { Io } from '../io.ts';

/** A browser that opens the address of the API is led to the portal, which may be at another address. */
export async function portalOf({ url, connection }: Client): Promise<string> {
  const { status, headers } = await connection.exchange({
    method: 'GET',
    path: '/',
    headers: { accept: 'text/html' },
  });
  const { location } = headers;
  if (location !== undefined && URL.canParse(location, url))
    return new URL(location, url).href.replace(/\/+$/, '');
  if (status === 200)
    throw new Failure(`${url} has no portal. Ask your provider for it.`, exitCodes.notFound);
  return `${url}/portal`;
}

/** The program that opens addresses in a browser, with its first arguments; null if there is none. */
export function browserOf({ env, outIsTerminal }: Io): readonly string[] | null {
  if (!outIsTerminal) return null;
  if (env['BROWSER']) return [env['BROWSER']];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', ''];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : null;
}

export async function openBrowser([program = '', ...args]: readonly string[], url: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  // `start` of Windows reads & as the end of its command.
  const address = program === 'cmd' ? url.replaceAll('&', '^&') : url;
  spawn(program, [...args, address], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
