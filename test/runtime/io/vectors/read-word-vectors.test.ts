import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  readWordVectors,
  readWordVectorsSync,
} from '../../../../src/runtime/io/vectors/read-word-vectors.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const expected = {
  words: ['the', 'café', 'of'],
  dimensions: 2,
  values: Float32Array.of(0.5, -1, 2, 3e-3, -0.25, 4),
};
const rows = 'the 0.5 -1\ncafé 2 3e-3\nof -0.25 4\n';

/** The binary form; original files have a line break behind each vector, others none. */
function binary(header: string, end: string, words: readonly (string | Buffer)[]): Buffer {
  const parts = words.flatMap((word, i) => {
    const numbers = Buffer.alloc(8);
    numbers.writeFloatLE(expected.values[(2 * i) % 6]!, 0);
    numbers.writeFloatLE(expected.values[(2 * i + 1) % 6]!, 4);
    return [Buffer.from(word), Buffer.from(' '), numbers, Buffer.from(end)];
  });
  return Buffer.concat([Buffer.from(header), ...parts]);
}

const json = JSON.stringify({
  ...{ precision: 8, l2NormIndex: 2, wordIndex: 3, size: 3, dimensions: 2 },
  words: ['the', 'café', 'of'],
  // Not by frequency: as numbers come first in an object.
  vectors: { of: [-0.25, 4, 4.1, 2], the: [0.5, -1, 1.1, 0], café: [2, 0.003, 2.1, 1] },
  unkVector: [0, 0, 0, -1],
});

describe('readWordVectors', () => {
  it.each([
    ['GloVe', rows],
    ['fastText', `3 2\n${rows.replaceAll('\n', ' \n')}`],
    ['gzip', gzipSync(`3 2\r\n${rows.replaceAll('\n', '\r\n')}`)],
    ['tabs', rows.replaceAll(' ', '\t')],
    ['binary', binary('3 2\n', '', expected.words)],
    ['binary with line breaks', binary('3 2\n', '\n', expected.words)],
    ['JSON', json],
  ])('reads %s', async (name, content) => {
    const path = file(`${name}.vec`, content);
    expect(await readWordVectors(path, 10)).toEqual(expected);
    expect(readWordVectorsSync(path, 10)).toEqual(expected);
    const first = await readWordVectors(path, 2);
    expect(readWordVectorsSync(path, 2)).toEqual(first);
    expect(first).toEqual({
      ...{ words: ['the', 'café'], dimensions: 2 },
      values: expected.values.subarray(0, 4),
    });
  });

  it('reads long files in pieces, whatever they are cut at', async () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `wörd${i}`);
    const text = words.map((word, i) => `${word} ${i} 1 -0.5`).join('\n');
    const vectors = Object.fromEntries(words.map((word, i) => [word, [i, 1, -0.5, 1, i]]));
    const head = { wordIndex: 4, size: words.length, dimensions: 3, words };
    const bytes = words.map((word, i) => {
      const numbers = Float32Array.of(i, 1, -0.5);
      return Buffer.concat([Buffer.from(`${word} `), Buffer.from(numbers.buffer)]);
    });
    const found = [
      await readWordVectors(file('long.txt', text), 1e6),
      await readWordVectors(file('long.json', JSON.stringify({ ...head, vectors })), 1e6),
      await readWordVectors(
        file('long.bin', Buffer.concat([Buffer.from('20000 3\n'), ...bytes])),
        1e6,
      ),
    ];
    for (const { words: read, values } of found) {
      expect(read).toEqual(words);
      expect(values).toEqual(found[0]!.values);
    }
    expect(found[0]!.values.at(-3)).toBe(19_999);
  });

  it('takes words with blanks in text, and leaves out what cannot be clustered', async () => {
    const text = 'a 1 0\n. . . 2 1\na 5 5\nzero 0 0\nb 0 1\n';
    const { words, values } = await readWordVectors(file('odd.txt', `9 2\n${text}`), 10);
    expect(words).toEqual(['a', '. . .', 'b']);
    expect([...values]).toEqual([1, 0, 2, 1, 0, 1]);
    const broken = binary('3 2\n', '', ['a', Buffer.of(0xff, 0xfe), 'b']);
    expect((await readWordVectors(file('broken.bin', broken), 10)).words).toEqual(['a', 'b']);
  });

  it.each([
    ['a row that is short', 'the 0.5 -1\nof 1\n', /:2: expected a word and 2 numbers/],
    ['a row of words', '2 2\nthe 0.5 -1\nof one two\n', /:3: expected a word and 2 numbers/],
    [
      'a wrong count',
      binary('3 3\n', '', ['a', 'b', 'c']),
      /word \d has no end|the file ends after/,
    ],
    ['a cut file', binary('4 2\n', '', ['a', 'b', 'c']), /the file ends after 3 of 4 words/],
    ['another JSON', '{"tokens": ["a"]}', /this JSON has no "vectors"/],
    ['no place of words', '{"dimensions": 2, "vectors": {"a": [1, 2]}}', /does not say where/],
    ['nothing', '\n', /there is no word with a vector/],
    ['no text', Buffer.from('the 1 2\n\xff\xfe 1 2\n', 'latin1'), /:2: /],
  ])('refuses %s', async (name, content, message) => {
    const path = file(`bad ${name}`, content);
    await expect(readWordVectors(path, 10)).rejects.toThrow(message);
    expect(() => readWordVectorsSync(path, 10)).toThrow(message);
  });
});
