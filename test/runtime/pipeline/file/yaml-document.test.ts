import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../../src/runtime/pipeline/file/yaml-document.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { thrownBy } from '../../../cli/commands/thrown-by.js';

const errorOf = (text: string) => thrownBy(() => parseYaml(text, 'x.yaml'));

/** Ten anchors, each of which has nine aliases of the one before. */
const bomb = Array.from({ length: 10 }, (_, i) => {
  const inner = Array.from({ length: 9 }, () => (i === 0 ? 'x' : `*a${i - 1}`));
  return `k${i}: &a${i} [${inner.join(', ')}]`;
}).join('\n');

/** Each of them a level deeper than the one before, though none is written deep. */
const tower = Array.from(
  { length: 200 },
  (_, i) => `k${i}: &a${i} [${i === 0 ? 'x' : `*a${i - 1}`}]`,
).join('\n');

describe('a YAML file', () => {
  it('may have aliases, which stand for the newest anchor of the name', () => {
    const text = 'a: &x { y: [1, 2] }\nb: *x\nc: &x 3\nd: [*x, *x]\n';
    const value = { a: { y: [1, 2] }, b: { y: [1, 2] }, c: 3, d: [3, 3] };
    expect(parseYaml(text, 'x.yaml').value).toEqual(value);
    expect(parseYaml('', 'x.yaml').value).toBe(null);
  });

  it.each([
    [
      'an alias of what it is a part of',
      'a: &a [*a]\n',
      1,
      8,
      /\*a refers to a value that contains it/,
    ],
    ['one of a map around it', 'a: 1\nb: &b\n  c: [1, { d: *b }]\n', 3, 15, /\*b refers to/],
    [
      'an alias without an anchor',
      'a: 1\nb: *c\n',
      2,
      4,
      /\*c refers to an anchor that is not defined/,
    ],
    [
      'aliases that multiply',
      bomb,
      6,
      10,
      /\*a4, the aliases expand to too much: more than 100,000/,
    ],
    ['aliases that pile up', tower, 100, 12, /\*a98, .* or 100 levels/],
    ['lists in lists', `a:\n  ${'['.repeat(1e5)}`, 2, 101, /nested more than 100 levels deep/],
    ['lists in lines', `a:\n${'- '.repeat(1e5)}`, 2, 197, /nested more than 100 levels deep/],
    ['a key that stands twice', 'a:\n  b: 1\n  c: 2\n  b: 3\n', 4, 3, /the key "b" occurs twice/],
    ['keys that are the same text', '1: x\n"1": y\n', 2, 1, /the key "1" occurs twice/],
    ['a list as a key', 'a: 1\n[b]: 2\n', 2, 1, /a key must be plain text/],
    ['a second document', 'a: 1\n---\nb: 2\n', 2, 1, /a second YAML document begins here/],
  ])('is refused with its place for %s', (_, text, line, column, message) => {
    expect(errorOf(text)).toMatchObject({
      code: 'config',
      place: { source: 'x.yaml', line, column },
      message: expect.stringMatching(message),
    });
  });

  it('names one of its unknown keys, and counts the others', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `key${i}: 1`).join('\n');
    const text = `version: 1\nname: x\nsource: { ndjson: {} }\nstages: [tokenize]\n${keys}\n`;
    expect(thrownBy(() => parsePipeline(text, 'x.yaml'))).toMatchObject({
      place: { line: 5, column: 1 },
      problem: 'key0: unknown key "key0" and 19,999 more',
    });
  });
});

describe('--set', () => {
  it('refuses an alias of what it is a part of', () => {
    const set = ['description=&a [*a]'];
    const text = 'version: 1\nname: x\nsource: { ndjson: {} }\nstages: [tokenize]\n';
    expect(thrownBy(() => parsePipeline(text, 'x.yaml', { set }))).toMatchObject({
      code: 'usage',
      problem: 'cannot parse the value of --set description',
    });
  });
});
