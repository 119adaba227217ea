import type { hash as Hash } from 'node:crypto';

/**
 * The digest of Drepper's "Unix crypt using SHA-256 and SHA-512". A thread runs this function from its text alone, so it
 * uses only its arguments and what every program of Node has, and defines no functions.
 */
export function digestOf(hash: typeof Hash, password: Buffer, salt: Buffer, rounds: number): Buffer {
  const alternate = hash('sha512', Buffer.concat([password, salt, password]), 'buffer');
  const start = [password, salt, Buffer.alloc(password.length, alternate)];
  for (let bits = password.length; bits > 0; bits >>= 1) start.push(bits & 1 ? alternate : password);
  const digest = hash('sha512', Buffer.concat(start), 'buffer');

  const repeated = hash('sha512', Buffer.alloc(password.length ** 2, password), 'buffer');
  const p = Buffer.alloc(password.length, repeated);
  const repeats = 16 + digest.readUInt8(0);
  const s = Buffer.alloc(salt.length, hash('sha512', Buffer.alloc(salt.length * repeats, salt), 'buffer'));

  // The parts of a round's input depend on the remainders of its number by 2, 3 and 7. Each input has a gap at `place`
  // for the digest of the round before.
  const inputs: { readonly bytes: Buffer; readonly place: number }[] = [];
  for (let round = 0; round < 2 * 3 * 7; round += 1) {
    const gap = Buffer.alloc(digest.length);
    const middle = [...(round % 3 === 0 ? [] : [s]), ...(round % 7 === 0 ? [] : [p])];
    const isEven = round % 2 === 0;
    const bytes = Buffer.concat(isEven ? [gap, ...middle, p] : [p, ...middle, gap]);
    inputs.push({ bytes, place: isEven ? 0 : bytes.length - gap.length });
  }
  // A string with one character for each byte, because Node takes twice as long to return a Buffer.
  let text = digest.toString('latin1');
  for (let round = 0; round < rounds; round += 1) {
    const { bytes, place } = inputs[round % inputs.length]!;
    bytes.write(text, place, 'latin1');
    text = hash('sha512', bytes, 'binary');
  }
  return Buffer.from(text, 'latin1');
}
