import { describe, expect, it } from 'vitest';
import { Fingerprint } from '../../../../src/engine/features/fingerprints/fingerprint.js';

const hash = new Fingerprint();

/** The 64 bits of a text, as 16 hexadecimal digits. */
function fingerprintOf(text: string, from?: number, to?: number): string {
  hash.start();
  hash.text(text, from, to);
  hash.finish();
  return hexadecimal();
}

function hexadecimal(): string {
  return [hash.hi, hash.lo].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Number of distinct fingerprints of `count` texts. */
function distinct(count: number, textOf: (i: number) => string): number {
  const all = new BigUint64Array(count);
  const words = new Uint32Array(all.buffer);
  for (let i = 0; i < count; i += 1) {
    hash.start();
    hash.text(textOf(i));
    hash.finish();
    words[i * 2] = hash.lo;
    words[i * 2 + 1] = hash.hi;
  }
  all.sort();
  let found = 1;
  for (let i = 1; i < count; i += 1) if (all[i] !== all[i - 1]) found += 1;
  return found;
}

describe('Fingerprint', () => {
  // Model files keep fingerprints: these values may never change.
  it.each([
    ['', 'a9fe8d13919d3275'],
    ['a', '0502eac74105e310'],
    ['the', '8f72be76b3c82061'],
    ['The', '472fb5af12937044'],
    ['_B-1', 'c853a61055c61d0c'],
    ['é', '4647e91a01e7a991'],
    ['日本', 'af4417b27223d65a'],
    ['😀', '70d0b33054905710'],
    ['\ud83d', 'dc10f46823233e6f'],
  ])('of %j is %s, for ever', (text, expected) => {
    expect(fingerprintOf(text)).toBe(expected);
  });

  it('feeds the bytes of UTF-8, a lone surrogate as U+FFFD', () => {
    for (const text of ['', 'ab', 'é', '߿', 'ࠀ', '日本語', '😀x', 'a\ud83d', '\udc00b', '\uffff']) {
      hash.start();
      for (const byte of new TextEncoder().encode(text)) hash.byte(byte);
      hash.finish();
      expect(fingerprintOf(text)).toBe(hexadecimal());
    }
  });

  it('of a part of a text is that of the part alone', () => {
    expect(fingerprintOf('xthey', 1, 4)).toBe(fingerprintOf('the'));
    expect(fingerprintOf('a😀', 1)).toBe(fingerprintOf('😀'));
    expect(fingerprintOf('a😀b', 0, 3)).toBe(fingerprintOf('a😀'));
    expect(fingerprintOf('abc', 2, 2)).toBe(fingerprintOf(''));
  });

  it('does not depend on what was hashed before', () => {
    const first = fingerprintOf('word');
    fingerprintOf('something else');
    expect(fingerprintOf('word')).toBe(first);
  });

  it('is the same in two pieces and in one', () => {
    hash.start();
    hash.text('sen');
    hash.text('tence');
    hash.finish();
    expect(hexadecimal()).toBe(fingerprintOf('sentence'));
  });

  it('has no collision among 1,000,000 words that differ in their digits', () => {
    expect(distinct(1_000_000, i => `w${i}`)).toBe(1_000_000);
  });

  it('has no collision among 475,254 words of up to 4 letters', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const word = (i: number): string =>
      i < 0 ? '' : word(Math.floor(i / 26) - 1) + letters[i % 26];
    expect(distinct(475_254, word)).toBe(475_254);
    expect(word(475_253)).toBe('zzzz');
  });

  it('has no collision among 200,000 sequences of 32-bit words', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 200_000; i += 1) {
      hash.start();
      hash.word(i & 255);
      hash.word(i >>> 8);
      hash.finish();
      seen.add(hexadecimal());
    }
    expect(seen.size).toBe(200_000);
  });

  it('turns over about half of the bits of both words when one character changes', () => {
    let low = 0;
    let high = 0;
    const pairs = 2000;
    for (let i = 0; i < pairs; i += 1) {
      const before = BigInt(`0x${fingerprintOf(`word${i}a`)}`);
      const changed = before ^ BigInt(`0x${fingerprintOf(`word${i}b`)}`);
      low += bits(changed & 0xffffffffn);
      high += bits(changed >> 32n);
    }
    expect(Math.abs(low / pairs - 16)).toBeLessThan(0.5);
    expect(Math.abs(high / pairs - 16)).toBeLessThan(0.5);
  });

  it('spreads words evenly over the slots of a table', () => {
    const slots = new Uint32Array(1024);
    for (let i = 0; i < 102_400; i += 1) {
      fingerprintOf(`w${i}`);
      slots[(hash.lo ^ (hash.hi >>> 7)) & 1023]! += 1;
    }
    const chiSquare = slots.reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0);
    // 1023 degrees of freedom: mean 1023, standard deviation 45.
    expect(Math.abs(chiSquare - 1023)).toBeLessThan(5 * 45);
  });
});

function bits(word: bigint): number {
  return word.toString(2).replaceAll('0', '').length;
}
