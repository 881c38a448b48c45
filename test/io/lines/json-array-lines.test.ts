import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonArrayLines } from '../../../src/io/lines/json-array-lines.js';
import { bytesOf, cut } from '../sources/read-all.js';

function changed(text: string, size: number): string {
  const change = jsonArrayLines.begin();
  return Buffer.concat(cut(bytesOf(text), size).map(chunk => change(chunk))).toString();
}

describe('jsonArrayLines', () => {
  it('gives one line an item, however it is written and cut, and as many bytes as there were', () => {
    const item = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 4 }), fc.jsonValue(), {
      maxKeys: 3,
    });
    const property = fc.property(
      fc.array(item, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(undefined, 1, '\t'),
      fc.integer({ min: 1, max: 9 }),
      (items, indent, size) => {
        const text = `\ufeff ${JSON.stringify(items, undefined, indent)}\n`;
        const lines = changed(text, size);
        expect(bytesOf(lines).length).toBe(bytesOf(text).length);
        const [, ...rest] = Array.from(lines);
        const found = rest.join('').trim().split('\n');
        expect(found.map(line => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(items)));
      },
    );
    fc.assert(property, { seed: 1, numRuns: 200 });
  });

  it('leaves what comes after the array to be found wrong', () => {
    expect(changed('[{"a": 1}] x\n[2]\n', 3)).toBe(' {"a": 1}  x\n[2]\n');
  });

  it('is for what begins with a bracket', () => {
    expect(jsonArrayLines.isNeeded(bytesOf('\ufeff \n['))).toBe(true);
    expect(jsonArrayLines.isNeeded(bytesOf('{"a": []}'))).toBe(false);
    expect(jsonArrayLines.isNeeded(bytesOf('  '))).toBe(false);
  });
});
