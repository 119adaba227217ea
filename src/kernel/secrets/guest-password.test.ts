import { execFileSync, spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { hashGuestPassword, makeGuestPassword } from './guest-password.ts';

const openssl = spawnSync('openssl', ['version']).status === 0;
const byOpenssl = (password: string, salt: string) =>
  execFileSync('openssl', ['passwd', '-6', '-salt', salt, '-stdin'], {
    input: `${password}\n`,
    encoding: 'utf8',
  }).trim();

it('a guest password is hashed as the published test vectors say', () => {
  expect(hashGuestPassword('Hello world!', 'saltstring')).toBe(
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  );
  expect(hashGuestPassword('Hello world!', 'saltstringsaltstring')).toBe(
    '$6$saltstringsaltst$e.3mR68CqZEpesEX1HlFZT6sEanSOjM/b5UoDyDo00a8syek2cJldMjrbtKP86.FJvzluVR7nc3DNzelAwTxj.',
  );
  expect(hashGuestPassword('Hello world!', 'saltstringsaltstring', 10_000)).toBe(
    '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
  );
});

it('a salt that is too long is cut', () => {
  expect(hashGuestPassword('x', 'a-salt-of-more-than-16')).toBe(hashGuestPassword('x', 'a-salt-of-more-t'));
});

it.runIf(openssl)('the hash agrees with openssl for passwords of every length around the block sizes', () => {
  for (const length of [1, 2, 7, 8, 15, 24, 63, 64, 65, 127, 128, 129, 200]) {
    const password = 'aZ9-ü'.repeat(50).slice(0, length);
    expect(hashGuestPassword(password, `s${length}/.`)).toBe(byOpenssl(password, `s${length}/.`));
  }
});

it('generated passwords are random and easy to read, each with its own hash', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, makeGuestPassword));
  for (const { password, hash } of made) {
    expect(password).toMatch(/^[A-HJ-NP-Za-kmnp-z2-9]{24}$/);
    expect(hash).toMatch(/^\$6\$rounds=1000\$[./0-9A-Za-z]{16}\$[./0-9A-Za-z]{86}$/);
    expect(hashGuestPassword(password, hash.split('$')[3], 1000)).toBe(hash);
  }
  expect(new Set(made.map(({ password }) => password)).size).toBe(20);
});

it('the same password gets a new salt each time', () => {
  expect(hashGuestPassword('same')).not.toBe(hashGuestPassword('same'));
});

it('a new password is hashed in a worker thread', async () => {
  let isMade = false;
  const made = makeGuestPassword().then(() => {
    isMade = true;
  });
  // Promises that are settled without the event loop are settled after a few microtasks.
  for (let microtask = 0; microtask < 100; microtask += 1) await null;
  expect(isMade).toBe(false);
  await made;
});
