import { expect, it } from 'vitest';
import { labelMarginalsText } from '../../../../src/formats/codecs/ndjson/owned-members.js';

it('writes labels in their order, whatever their names are', () => {
  const labels = ['b"', '7', '__proto__'];
  const values = Float64Array.of(0.25, 0.75, 0, 1e-30, 1, 0.5);
  const first = '{"b\\"":0.25,"7":0.75,"__proto__":0}';
  const second = '{"b\\"":1e-30,"7":1,"__proto__":0.5}';
  expect(labelMarginalsText({ labels, values })).toBe(`[${first},${second}]`);
  expect(labelMarginalsText({ labels, values }, 1, 2)).toBe(`[${second}]`);
});
