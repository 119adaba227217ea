import { describe, expect, it } from 'vitest';
import { sha256Of, sign } from './signature.ts';

/** The requests and signatures that the documentation of Amazon S3 has as examples. */
const keys = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const now = new Date('2013-05-24T00:00:00Z');

const signatureOf = (method: string, path: string, headers: Record<string, string> = {}, body = '') => {
  const url = new URL(path, 'https://examplebucket.s3.amazonaws.com');
  const bodySha256 = sha256Of(body);
  const { authorization } = sign({ method, url, headers, bodySha256 }, keys, 'us-east-1', now);
  return /Signature=(.*)$/.exec(authorization ?? '')?.[1];
};

describe('the signature equals the one in the documentation of S3', () => {
  it('for a part of an object', () => {
    expect(signatureOf('GET', '/test.txt', { range: 'bytes=0-9' })).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  it('for an object with a body and a name that has to be encoded', () => {
    const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
    expect(signatureOf('PUT', '/test$file.text', headers, 'Welcome to Amazon S3.')).toBe(
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    );
  });

  it('for a query without a value', () => {
    expect(signatureOf('GET', '/?lifecycle')).toBe(
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    );
  });

  it('for a query of several parameters', () => {
    expect(signatureOf('GET', '/?max-keys=2&prefix=J')).toBe(
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    );
  });
});
