import { readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { defaultProvider } from '../../../testing/app.ts';

afterEach(() => vi.doUnmock('@node-rs/argon2'));

const { dependencies } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { dependencies: Record<string, string> };
const version = dependencies['@node-rs/argon2'];

const check = async () => {
  vi.resetModules();
  const { checkPasswords } = await import('./passwords.ts');
  return checkPasswords(defaultProvider().portal);
};

it('says how to install the module that hashes passwords, which is not part of the bundle', async () => {
  vi.doMock('@node-rs/argon2', () => {
    throw new Error('Cannot find module');
  });
  expect(await check()).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('nobody can sign in by password'),
    fix: expect.stringContaining(`npm install @node-rs/argon2@${version}`),
  });
  vi.doUnmock('@node-rs/argon2');
  expect(await check()).toMatchObject({ status: 'ok' });
});
