/** The pictures are read by zbarimg, which knows nothing of the program that draws them. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { qrPicture } from './qr-picture.ts';

const why = spawnSync('zbarimg', ['--version']).error === undefined ? '' : ': zbarimg is not installed';

function textIn(picture: Buffer): string {
  const { stdout, stderr } = spawnSync('zbarimg', ['--quiet', '--raw', 'png:-'], { input: picture });
  expect(stdout.length, stderr.toString()).toBeGreaterThan(0);
  return stdout.toString();
}

describe.skipIf(why !== '')(`a QR code${why}`, () => {
  it.each([
    ['a word', 'laptop'],
    [
      'a configuration',
      '[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\nMTU = 1380\n',
    ],
    ['a long configuration', 'AllowedIPs = 10.10.0.0/24, fd3f:91c2:77a0:6001::/64\n'.repeat(20)],
  ])('of %s is decoded as the original text', (_, text) => {
    // The program ends what it prints with a line break.
    expect(textIn(qrPicture(text))).toBe(`${text}\n`);
  });
});
