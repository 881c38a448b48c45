import { describe, expect, it } from 'vitest';
import { slashCodec } from '../../../../src/formats/codecs/slash/slash-codec.js';
import { content, readAll } from '../../../runtime/io/sources/read-all.js';

describe('slashCodec', () => {
  it('reads lines as those of Brown, the tag after the last separator', async () => {
    const { documents, blanks } = await readAll(slashCodec(), '\tThe/at  1/2/cd //, ./.\n\n');
    expect(documents.map(content)).toEqual([
      { tokens: ['The', '1/2', '/', '.'], tags: ['at', 'cd', ',', '.'] },
    ]);
    expect(blanks).toBe(1);
  });

  it('takes any separator, unknown tags and alternatives', async () => {
    const codec = slashCodec({ separator: '||', unknown: '?', alternatives: '+' });
    const { documents } = await readAll(codec, 'a|b||X c||? d||X+Y\n');
    expect(content(documents[0]!)).toEqual({
      tokens: ['a|b', 'c', 'd'],
      partialTags: ['X', null, ['X', 'Y']],
    });
    const { tokens, partialTags } = documents[0]!;
    expect(codec.writeDocument({ tokens: tokens!, partialTags: partialTags! })).toBe(
      'a|b||X c||? d||X+Y\n',
    );
  });

  it('names the word without a tag', async () => {
    const { bad } = await readAll(slashCodec(), 'a/X b\n/X\na/\n');
    expect(bad.map(({ error }) => error.problem)).toEqual([
      'word 2, "b", has no tag',
      'word 1, "/X", has no tag',
      'word 1, "a/", has no tag',
    ]);
  });

  it('writes a line a sentence, and says what it cannot hold', () => {
    const replaced: string[] = [];
    const document = {
      tokens: ['New York', 'b', ''],
      tags: ['X/Y', 'O', 'O'],
      sentences: [
        [0, 2],
        [2, 3],
      ] as const,
    };
    const note = (value: string) => replaced.push(value);
    expect(slashCodec().writeDocument(document, note)).toBe('New_York/X_Y b/O\n_/O\n');
    expect(replaced).toEqual(['New York', 'X/Y', '']);
  });
});
