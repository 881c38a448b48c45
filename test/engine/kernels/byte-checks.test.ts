import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksum, jsonDepth } from '../../../src/engine/kernels/byte-checks.js';

/** CRC-32C by long division of polynomials, bit by bit, from the highest power down. */
function divided(bytes: Uint8Array): number {
  const generator = 0x11edc6f41n;
  const reversed = (value: bigint, width: number) =>
    BigInt(`0b${value.toString(2).padStart(width, '0').split('').reverse().join('')}`);
  let message = 0n;
  for (const byte of bytes) message = (message << 8n) | reversed(BigInt(byte), 8);
  const bits = BigInt(8 * bytes.length);
  // The first 32 bits of the message and its remainder are inverted.
  let rest = (message << 32n) ^ (0xffffffffn << bits);
  for (let at = bits + 32n - 1n; at >= 32n; at -= 1n) {
    if ((rest >> at) & 1n) rest ^= generator << (at - 32n);
  }
  return Number(reversed(rest ^ 0xffffffffn, 32));
}

describe('checksum', () => {
  it('has the published values of CRC-32C', () => {
    expect(checksum(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
    expect(checksum(new Uint8Array(0))).toBe(0);
    // RFC 3720, B.4: 32 bytes of zeros, of ones, counting up, counting down.
    expect(checksum(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(checksum(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
    expect(checksum(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
    expect(checksum(Uint8Array.from({ length: 32 }, (_, i) => 31 - i))).toBe(0x113fdb5c);
  });

  it('is the remainder of the polynomial division', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        expect(checksum(bytes)).toBe(divided(bytes));
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  it('resumes from the checksum of what came before', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(checksum(b, checksum(a))).toBe(checksum(Uint8Array.of(...a, ...b)));
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  it('finds every burst of up to 32 wrong bits', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 8, maxLength: 40 }),
        fc.nat(),
        fc.integer({ min: 1, max: 0xffffffff }),
        (bytes, place, burst) => {
          const start = place % (8 * bytes.length - 31);
          const damaged = Uint8Array.from(bytes);
          for (let i = 0; i < 32; i += 1) {
            const bit = start + i;
            if ((burst >>> i) & 1) damaged[bit >>> 3]! ^= 1 << (bit & 7);
          }
          expect(checksum(damaged)).not.toBe(checksum(bytes));
        },
      ),
      { seed: 3, numRuns: 300 },
    );
  });
});

describe('the depth of JSON', () => {
  it.each([
    ['1', 0],
    ['[]', 1],
    ['[[],[],{"a":[]}]', 3],
    ['{"[[[":"\\"[[["}', 1],
    ['["\\\\",[]]', 2],
    ['["a\\\\\\"[[[",[]]', 2],
    ['["\\"', 1],
    ['["é日\u{1f600}[",[[]]]', 3],
    ['['.repeat(100_000), 100_000],
  ])('finds the depth of %.40s: %i', (json, depth) => {
    expect(jsonDepth(new TextEncoder().encode(json))).toBe(depth);
  });

  it('is the same wherever a part of the bytes ends', () => {
    // Parts have 16,384 bytes; the text begins at each place around the end of the first.
    for (let before = 16_360; before < 16_400; before += 1) {
      const json = `[${' '.repeat(before)}"a\\\\\\"[[[",[{"]":[]}]]`;
      expect(jsonDepth(new TextEncoder().encode(json))).toBe(4);
    }
  });
});
