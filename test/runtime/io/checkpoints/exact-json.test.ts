import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactJson } from '../../../../src/runtime/io/checkpoints/read-generation.js';

describe('exactJson', () => {
  it.each([0, -0, 1, -1.5, 0.1, 5e-324, 1.7976931348623157e308, 2 ** 53, 1e21, 123456789.123])(
    'brings back the number %d',
    number => {
      expect(JSON.parse(exactJson(number, 'x'))).toBe(number);
    },
  );

  it('brings back any JSON value', () => {
    const property = fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
      expect(JSON.parse(exactJson(value, 'x'))).toStrictEqual(value);
    });
    fc.assert(property, { seed: 1, numRuns: 1000 });
  });

  it('leaves undefined properties out', () => {
    expect(exactJson({ a: undefined, b: null }, 'x')).toBe('{"b":null}');
  });

  it.each([
    [{ a: [1, Number.NaN] }, 'the number NaN at part.a[1]'],
    [{ a: { b: Number.NEGATIVE_INFINITY } }, 'the number -Infinity at part.a.b'],
    [[undefined], 'undefined at part[0]'],
    [new Array(1), 'undefined at part[0]'],
    [{ f: () => 1 }, 'a function at part.f'],
    [{ n: 1n }, 'a bigint at part.n'],
    [{ m: new Map() }, 'an object of class Map at part.m'],
    [{ d: new Date(0) }, 'an object of class Date at part.d'],
    [{ u: new Uint8Array(1) }, 'an object of class Uint8Array at part.u'],
  ])('refuses what JSON would change: %o', (value, problem) => {
    expect(() => exactJson(value, 'part')).toThrowError(`a checkpoint cannot store ${problem}`);
  });
});
