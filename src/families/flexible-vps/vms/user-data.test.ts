import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decidePassword, readUserData } from './user-data.ts';

const base64 = (data: string | Buffer): string => Buffer.from(data).toString('base64');
const script = '#!/bin/sh\necho "more than one line of base64, so that it is broken somewhere in between"\n';

type Access = Parameters<typeof decidePassword>[1];

/** The warnings, and whether a password is generated. */
function judge(access: Partial<Access>): { told: string[]; password: boolean } {
  const told: string[] = [];
  const asked = { sshKeys: 0, userData: null, generatePassword: undefined, ...access };
  const password = decidePassword({ warn: ({ code }) => void told.push(code) }, asked);
  return { told, password };
}

const isWarnedOf = (userData: Buffer | null): boolean =>
  judge({ userData }).told.includes('user_data_ignored');

describe('user data', () => {
  it.each([
    ['as it is', base64(script)],
    ['without what it is filled up with', base64(script).replace(/=+$/, '')],
    ['broken into lines', base64(script).replace(/.{40}/g, '$&\r\n')],
  ])('is decoded from base64 %s', (_, text) => {
    expect(readUserData(text, 'base64')?.toString()).toBe(script);
  });

  it.each(['*', 'A', 'QUJDR', 'QUI=D', 'QQ==='])('is refused as base64: %j', (text) => {
    expect(() => readUserData(text, 'base64')).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ code: 'invalid_format' })] }),
    );
  });

  it('is null for an empty text', () => {
    expect([readUserData(''), readUserData('', 'base64')]).toEqual([null, null]);
  });

  it('gets a warning if cloud-init would ignore it, packed or not', () => {
    const packed = (text: string) => readUserData(base64(gzipSync(text)), 'base64');
    expect([null, readUserData(script), packed(script)].map(isWarnedOf)).toEqual([false, false, false]);
    expect([readUserData('hello'), packed('hello')].map(isWarnedOf)).toEqual([true, true]);
  });

  it('replaces the generated password only if cloud-init reads it', () => {
    const [good, bad] = [readUserData(script), readUserData('hello')];
    expect([null, good, bad].map((userData) => judge({ userData }).password)).toEqual([true, false, true]);
    expect(judge({ userData: bad, sshKeys: 1 }).password).toBe(false);
    expect(judge({ userData: good }).told).toEqual(['login_by_user_data']);
    expect(judge({ userData: good, sshKeys: 1 }).told).toEqual([]);
    expect(judge({ userData: good, generatePassword: true }).told).toEqual([]);
    expect(judge({ userData: bad, generatePassword: false })).toEqual({
      told: ['user_data_ignored', 'no_login'],
      password: false,
    });
  });
});
