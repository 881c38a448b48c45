import { expect, it } from 'vitest';
import { codecOf } from '../../../../src/runtime/pipeline/catalogue/codec-of.js';

it('a format is one that can be read: what is generated is none', () => {
  expect(codecOf({ name: 'letters', options: {} }).name).toBe('letters');
  expect(() => codecOf({ name: 'simulated', options: {} })).toThrow('unknown format simulated');
  expect(() => codecOf({ name: 'xml', options: {} })).toThrow(
    expect.objectContaining({
      code: 'usage',
      fix: expect.stringMatching(/ndjson/) as string,
    }),
  );
});
