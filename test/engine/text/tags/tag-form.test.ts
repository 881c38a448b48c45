import { describe, expect, it } from 'vitest';
import {
  describeSchemes,
  SchemeCounts,
  tagFormOf,
} from '../../../../src/engine/text/tags/detect-scheme.js';
import { forms, tagReader } from '../../../../src/engine/text/tags/tag-form.js';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../../../src/formats/codecs/conllu/conllu-codec.js';
import { crfsuiteCodec } from '../../../../src/formats/codecs/crfsuite/crfsuite-codec.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { slashCodec } from '../../../../src/formats/codecs/slash/slash-codec.js';
import { lookAtFile } from '../../../../src/runtime/pipeline/init/look-at-file.js';
import { readAll } from '../../../runtime/io/sources/read-all.js';

/** Tags in BIO, as a form writes them. */
function written(tags: readonly string[], form: string): string[] {
  return tags.map(tag => {
    if (tag === 'O') return tag;
    const [letter, type] = [tag[0]!, tag.slice(2)];
    return form.startsWith('B') ? letter + form[1] + type : type + form[1] + letter;
  });
}

const schemes = {
  BIO: ['B-PER', 'I-PER', 'O', 'B-LOC'],
  BIOES: ['B-PER', 'E-PER', 'O', 'S-LOC', 'B-X', 'I-X', 'E-X'],
  BILOU: ['B-PER', 'L-PER', 'O', 'U-LOC', 'B-X', 'I-X', 'L-X'],
  BMES: ['B-PER', 'E-PER', 'O', 'S-LOC', 'B-X', 'M-X', 'E-X'],
  BMEWO: ['B-PER', 'E-PER', 'O', 'W-LOC', 'B-X', 'M-X', 'E-X'],
} as const;

describe('forms of span tags', () => {
  it.each(Object.entries(schemes))('are found and read in %s', (_, tags) => {
    expect(tagFormOf(tags)).toBeUndefined();
    for (const spanTags of forms) {
      const labels = written(tags, spanTags);
      expect(tagFormOf(labels)).toEqual({ spanTags });
      expect(labels.map(tagReader({ spanTags })!)).toEqual(tags);
      for (const outside of ['-', '_', 'OTHER', '0']) {
        const others = labels.map(tag => (tag === 'O' ? outside : tag));
        expect(tagFormOf(others)).toEqual({ spanTags, outside });
      }
    }
    expect(tagFormOf(tags.map(tag => (tag === 'O' ? '_' : tag)))).toEqual({ outside: '_' });
  });

  it.each([
    [['NN', 'NNS', 'VB', '_']],
    [['NOUN', 'VERB', 'O']],
    [['B_1', 'NN', 'O']],
    [['S_1', 'M_1', 'O']],
    [['B_X', 'I_X']],
    [['A-B', 'B-B', 'O', 'X']],
    [['B', 'I', 'O']],
    [['O', '_']],
    [['O']],
    [[]],
  ])('are none in %j', labels => {
    expect(tagFormOf(labels)).toBeUndefined();
  });

  it('keep types that hold the separator', () => {
    const read = tagReader({ spanTags: 'B_X' })!;
    expect(['B_first_name', 'I_a-b', 'O', 'B-PER', 'B_'].map(read)).toEqual([
      ...['B-first_name', 'I-a-b', 'O', 'B-PER', 'B_'],
    ]);
  });
});

describe('formats whose tags are in another form', () => {
  const tags = ['B-PER', 'I-PER', 'O'];
  const form = { spanTags: 'X_B', outside: '-' };
  const cells = ['PER_B', 'PER_I', '-'];
  const tokens = ['Ann', 'Lee', 'ran'];

  it.each([
    [
      'conll',
      conllCodec({ columns: ['form', 'tag'], ...form }),
      tokens.map((t, i) => `${t} ${cells[i]}\n`).join(''),
    ],
    ['slash', slashCodec(form), `${tokens.map((t, i) => `${t}/${cells[i]}`).join(' ')}\n`],
    [
      'crfsuite',
      crfsuiteCodec({ attributes: { form: 'w[0]' }, ...form }),
      tokens.map((t, i) => `${cells[i]}\tw[0]=${t}\n`).join(''),
    ],
    [
      'conllu',
      conlluCodec({ tag: 'xpos', ...form }),
      tokens.map((t, i) => `${i + 1}\t${t}\t_\t_\t${cells[i]}\t_\t_\t_\t_\t_\n`).join(''),
    ],
    ['ndjson', ndjsonCodec(form), `${JSON.stringify({ tokens, tags: cells })}\n`],
    [
      'numbers',
      ndjsonCodec({ ...form, labels: cells }),
      `${JSON.stringify({ tokens, tags: [0, 1, 2] })}\n`,
    ],
    [
      'a column',
      ndjsonCodec({ ...form, tag: 'ner' }),
      `${JSON.stringify({ tokens, columns: { ner: cells } })}\n`,
    ],
  ])('%s', async (_, codec, text) => {
    const { documents, bad } = await readAll(codec, `${text}\n`);
    expect(bad).toEqual([]);
    expect(documents.map(document => document.tags)).toEqual([tags]);
    // Another codec reads other tags from the same bytes, so it must not take them over.
    expect(ndjsonCodec().writeDocument(documents[0]!)).toContain(JSON.stringify(tags));
    expect(conllCodec({ columns: ['form', 'tag'] }).writeDocument(documents[0]!)).toBe(
      'Ann B-PER\nLee I-PER\nran O\n\n',
    );
  });

  it('knows tags in part', async () => {
    const codec = conllCodec({
      columns: ['form', 'tag'],
      ...form,
      unknown: '?',
      alternatives: '&',
    });
    const { documents } = await readAll(codec, 'a PER_B&-\nb ?\n\n');
    expect(documents[0]!.partialTags).toEqual([['B-PER', 'O'], null]);
  });

  it('has no gold tags where rows lack them', async () => {
    const codec = conllCodec({ columns: ['form', 'tag'], outside: '_', tagOptional: true });
    const { documents } = await readAll(codec, 'a\nb\n\na _\nb _\n\n');
    expect(documents.map(document => document.tags)).toEqual([undefined, ['O', 'O']]);
  });

  it('refuses a form that there is not', () => {
    expect(() => conllCodec({ spanTags: 'I_X' })).toThrow('spanTags');
  });
});

describe('init', () => {
  const guess = (text: string) => {
    const bytes = Buffer.from(text);
    return lookAtFile({ bytes, whole: true, fileBytes: bytes.length }, 'file', {});
  };
  const sentence = (cells: readonly string[]) =>
    ['Ann', 'Lee', 'ran', 'to', 'Rome'].map((token, i) => `${token}\t${cells[i]}\n`).join('');

  it.each([
    ['B_X', ['B_PER', 'I_PER', 'O', 'O', 'B_LOC'], { spanTags: 'B_X' }],
    ['X-B', ['PER-B', 'PER-I', '_', '_', 'LOC-B'], { spanTags: 'X-B', outside: '_' }],
    ['B-X with another outside', ['B-PER', 'I-PER', '-', '-', 'B-LOC'], { outside: '-' }],
    [
      'IOB1 in another form',
      ['I_PER', 'B_PER', 'O', 'O', 'I_LOC'],
      { spanTags: 'B_X', iob1: true },
    ],
  ])('finds %s', (_, cells, expected) => {
    const { options, reasons } = guess(`${sentence(cells)}\n`.repeat(3));
    expect(options).toMatchObject(expected);
    expect(reasons.join('\n')).toContain('reads as ');
  });

  it('finds it in NDJSON', () => {
    const tags = ['B_PER', 'I_PER', 'O'];
    const line = `${JSON.stringify({ tokens: ['Ann', 'Lee', 'ran'], tags })}\n`;
    expect(guess(line.repeat(3)).options).toEqual({ spanTags: 'B_X' });
  });
});

describe('scores', () => {
  it('name the option that reads gold tags of another form', () => {
    const counts = new SchemeCounts();
    counts.add(['B_PER', 'I_PER', 'O']);
    expect(describeSchemes(counts.differsFrom('BIO')!)).toContain('set the option spanTags: B_X');
  });
});
