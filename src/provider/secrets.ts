/**
 * Reads the database URL, the Redis URL, the secret key and the password for SMTP. A URL with a password comes from the environment or
 * from a separate file: a password in the provider's file is a fault, because that file is copied, mailed and
 * committed. No message repeats a secret.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseKey, SECRET_KEY_VARIABLE } from '../kernel/secrets/seal.ts';
import type { Environment } from './environment.ts';
import type { Report } from './fault.ts';

export interface UrlSetting {
  readonly url: string | null;
  readonly url_env: string | null;
  readonly url_file: string | null;
}

interface Kind {
  readonly section: 'database' | 'redis';
  readonly variable: string;
  readonly protocols: readonly string[];
  readonly example: string;
}

export const databaseUrl: Kind = {
  section: 'database',
  variable: 'HOSTPLANE_DATABASE_URL',
  protocols: ['postgres:', 'postgresql:'],
  example: 'postgres://hostplane@db.internal/hostplane',
};

export const redisUrl: Kind = {
  section: 'redis',
  variable: 'HOSTPLANE_REDIS_URL',
  protocols: ['redis:', 'rediss:'],
  example: 'redis://cache.internal:6379',
};

export function readUrl(
  kind: Kind,
  setting: UrlSetting,
  env: Environment,
  folder: string,
  report: Report,
): string | null {
  const at = `/${kind.section}`;
  const given = (['url', 'url_env', 'url_file'] as const).filter((member) => setting[member] !== null);
  if (given.length > 1) {
    report(`${at}/${given[1]}`, `${given.join(' and ')} are both given.`, 'Keep one of them.');
  }
  if (setting.url !== null && holdsPassword(setting.url)) {
    const fix = `Put the URL into ${kind.variable}, or into a file named by url_file.`;
    report(`${at}/url`, 'The URL contains a password, but this file must not contain secrets.', fix);
  }
  const { path, text, variable } = findUrl(kind, setting, env, folder, report);
  if (text === null) return null;
  if (!URL.canParse(text) || !kind.protocols.includes(new URL(text).protocol)) {
    report(path, 'This is not a URL of the right kind.', `Write it as ${kind.example}.`, variable);
    return null;
  }
  return text;
}

/** The absolute path of the file that the URL comes from, or null if it does not come from a file. */
export function urlFileOf(kind: Kind, setting: UrlSetting, env: Environment, folder: string): string | null {
  const isElsewhere = Boolean(env[kind.variable]) || setting.url_env !== null;
  return isElsewhere || setting.url_file === null ? null : resolve(folder, setting.url_file);
}

interface Found {
  readonly path: string;
  readonly text: string | null;
  readonly variable?: string;
}

function findUrl(kind: Kind, setting: UrlSetting, env: Environment, folder: string, report: Report): Found {
  const { url, url_env, url_file } = setting;
  const own = env[kind.variable];
  if (own) return { path: `/${kind.section}/url`, text: own, variable: kind.variable };
  if (url_env !== null) {
    const path = `/${kind.section}/url_env`;
    const text = env[url_env];
    if (text) return { path, text, variable: url_env };
    report(path, `The variable ${url_env} is not set.`, 'Set it, or correct its name.');
    return { path, text: null };
  }
  if (url_file !== null) {
    const path = `/${kind.section}/url_file`;
    return { path, text: readSecret(resolve(folder, url_file), path, report) };
  }
  return { path: `/${kind.section}/url`, text: url };
}

/**
 * Checks only the form of the key. The database stores the key's fingerprint; the server compares it at start.
 */
export function readSecretKey(env: Environment, report: Report): string | null {
  const text = env[SECRET_KEY_VARIABLE]?.trim();
  if (text === undefined || text === '') return null;
  if (parseKey(text) === null) {
    const fix = 'Write 32 random bytes in base64, as printed by: openssl rand -base64 32';
    report('/secrets', 'This is not a valid key.', fix, SECRET_KEY_VARIABLE);
  }
  return text;
}

/** The password of the SMTP user. */
export function readPassword(
  smtp: { readonly password_file: string | null } | null,
  folder: string,
  report: Report,
): string | null {
  const file = smtp?.password_file ?? null;
  return file === null
    ? null
    : readSecret(resolve(folder, file), '/mail/smtp/password_file', report, 'the password');
}

/** `content` says what belongs into the file. */
export function readSecret(file: string, path: string, report: Report, content = 'the URL'): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const fix = `Create it, readable by this user, with ${content} as its only line.`;
    report(path, `${file} cannot be read.`, fix);
    return null;
  }
}

function holdsPassword(text: string): boolean {
  if (!URL.canParse(text)) return /:[^/@\s]+@/.test(text) || /password=/i.test(text);
  const url = new URL(text);
  return url.password !== '' || [...url.searchParams.keys()].some((name) => /^(ssl)?password$/i.test(name));
}
