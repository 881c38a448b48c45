import { describe, expect, it } from 'vitest';
import { conlluCodec } from '../../../../src/formats/codecs/conllu/conllu-codec.js';
import { content, readAll } from '../../../runtime/io/sources/read-all.js';

const rows = [
  '# newdoc id = d',
  '# sent_id = s-1',
  "# text = She didn't.",
  '1\tShe\tshe\tPRON\tPRP\tCase=Nom\t2\tnsubj\t2:nsubj\t_',
  "2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
  '2\tdid\tdo\tAUX\tVBD\t_\t0\troot\t0:root\t_',
  "3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t2:advmod\t_",
  '3.1\twrite\twrite\tVERB\tVB\t_\t_\t_\t2:conj\tCopyOf=2',
  '4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t2:punct\t_',
];
const sentence = `${rows.join('\n')}\n\n`;

describe('conlluCodec, reading', () => {
  it('reads the words, their columns, id and text', async () => {
    const { documents, bad } = await readAll(conlluCodec(), sentence);
    expect(bad).toEqual([]);
    expect(documents.map(content)).toEqual([
      {
        id: 's-1',
        startsDocument: true,
        text: "She didn't.",
        tokens: ['She', 'did', "n't", '.'],
        // The range `2-3`, with the places of its words in the text.
        multiword: [[1, 3]],
        offsets: [
          [0, 3],
          [4, 7],
          [7, 10],
          [10, 11],
        ],
        tags: ['PRON', 'AUX', 'PART', 'PUNCT'],
        columns: {
          lemma: ['she', 'do', 'not', '.'],
          xpos: ['PRP', 'VBD', 'RB', '.'],
          feats: ['Case=Nom', '_', '_', '_'],
          head: ['2', '0', '2', '2'],
          deprel: ['nsubj', 'root', 'advmod', 'punct'],
          deps: ['2:nsubj', '0:root', '2:advmod', '2:punct'],
          misc: ['_', '_', '_', '_'],
        },
      },
    ]);
  });

  it('takes another column for the tags', async () => {
    const { documents } = await readAll(conlluCodec({ tag: 'xpos' }), sentence);
    expect(documents[0]!.tags).toEqual(['PRP', 'VBD', 'RB', '.']);
    expect(documents[0]!.columns!.upos).toEqual(['PRON', 'AUX', 'PART', 'PUNCT']);
  });

  it.each([
    // A sentence with parts of speech has been looked at: no features and no remark are values.
    ['feats', 'UPOS of word', ['_']],
    ['misc', 'UPOS of word', ['_']],
    ['lemma', 'UPOS of _', ['_']],
    // Of these `_` says that nothing is known.
    ['lemma', 'UPOS of word', undefined],
    ['xpos', 'UPOS of word', undefined],
    ['deps', 'UPOS of word', undefined],
    ['deprel', 'UPOS of word', undefined],
    ['upos', 'nothing of word', undefined],
    ['feats', 'nothing of word', undefined],
    ['misc', 'nothing of word', undefined],
    ['lemma', 'nothing of _', undefined],
  ] as const)('reads %s that are all _ with %s', async (tag, what, tags) => {
    const [upos, form] = [what.startsWith('UPOS') ? 'X' : '_', what.endsWith('_') ? '_' : 'word'];
    const { documents, bad } = await readAll(
      conlluCodec({ tag }),
      `1\t${form}\t_\t${upos}${'\t_'.repeat(6)}\n\n`,
    );
    expect([documents[0]!.tags, bad]).toEqual([tags, []]);
    expect(documents[0]!.columns![tag]).toBeUndefined();
  });

  it('names the row that is wrong', async () => {
    const text = `${sentence}# x\n1\ta\n\n1x${'\t_'.repeat(9)}\n\n1-2${'\t_'.repeat(9)}\n\n${sentence}`;
    const { documents, bad } = await readAll(conlluCodec(), text);
    expect(documents.length).toBe(2);
    expect(bad.map(({ error }) => [error.code, error.place.line, error.problem])).toEqual([
      ['wrong-shape', 12, '2 columns in a row, expected 10'],
      ['wrong-shape', 14, 'invalid row id "1x"'],
      ['empty-sentence', 16, 'the sentence has no words'],
    ]);
  });
});

describe('conlluCodec, writing', () => {
  it('replaces the tags of the words and nothing else', async () => {
    const codec = conlluCodec();
    const { documents } = await readAll(codec, sentence);
    const tags = ['NOUN', 'VERB', 'ADV', 'X'];
    const written = codec.write({ document: documents[0]!, tokens: documents[0]!.tokens!, tags });
    expect(written).toBe(
      sentence
        .replace('\tPRON\t', '\tNOUN\t')
        .replace('\tAUX\t', '\tVERB\t')
        .replace('\tPART\t', '\tADV\t')
        .replace('\tPUNCT\t', '\tX\t'),
    );
  });

  it('writes new lines for a document from elsewhere', () => {
    const document = {
      id: '7',
      text: 'Go! Now.\nHere',
      columns: { lemma: ['go', '!', 'now', '.', 'here'] },
    };
    const tokens = ['Go', '!', 'Now', '.', 'Here'];
    const offsets = [
      [0, 2],
      [2, 3],
      [4, 7],
      [7, 8],
      [9, 13],
    ] as const;
    const sentences = [
      [0, 2],
      [2, 5],
    ] as const;
    const tags = ['VERB', 'PUNCT', 'ADV', 'PUNCT', 'ADV'];
    expect(conlluCodec().write({ document, tokens, offsets, sentences, tags })).toBe(
      [
        '# sent_id = 7-1',
        '# text = Go!',
        '1\tGo\tgo\tVERB\t_\t_\t_\t_\t_\tSpaceAfter=No',
        '2\t!\t!\tPUNCT\t_\t_\t_\t_\t_\t_',
        '',
        '# sent_id = 7-2',
        '# text = Now. Here',
        '1\tNow\tnow\tADV\t_\t_\t_\t_\t_\tSpaceAfter=No',
        '2\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_',
        '3\tHere\there\tADV\t_\t_\t_\t_\t_\t_',
        '',
        '',
      ].join('\n'),
    );
  });

  it('writes a document with its gold tags, and adds to MISC', () => {
    const document = {
      text: 'ab',
      tokens: ['a', 'b'],
      offsets: [
        [0, 1],
        [1, 2],
      ] as const,
      tags: ['X', 'Y'],
      columns: { misc: ['Gloss=a', '_'] },
    };
    expect(conlluCodec({ tag: 'xpos' }).writeDocument(document)).toBe(
      '# text = ab\n1\ta\t_\t_\tX\t_\t_\t_\t_\tGloss=a|SpaceAfter=No\n2\tb\t_\t_\tY\t_\t_\t_\t_\t_\n\n',
    );
  });

  it('knows where a document begins', async () => {
    const { documents } = await readAll(conlluCodec(), sentence + rows.slice(1).join('\n'));
    expect(documents.map(each => each.startsDocument)).toEqual([true, undefined]);
  });
});

describe('tags in an attribute of MISC', () => {
  const rows = [
    '# sent_id = s-1',
    '1\tAnn\t_\tPROPN\t_\t_\t2\tnsubj\t_\tname=B-PER',
    '2-3\tin the\t_\t_\t_\t_\t_\t_\t_\tname=B-X',
    '2\tin\t_\tADP\t_\t_\t0\tcase\t_\tSpaceAfter=No',
    '3\tRome\t_\tPROPN\t_\t_\t2\tobl\t_\tSpaceAfter=No|name=B-LOC|Gloss=x',
  ];
  const text = `${rows.join('\n')}\n\n`;
  const codec = conlluCodec({ tag: 'misc.name' });

  it('reads them, and O where a word has none', async () => {
    const { documents, bad } = await readAll(codec, text);
    expect(bad).toEqual([]);
    expect(documents[0]!.tags).toEqual(['B-PER', 'O', 'B-LOC']);
    // What is left of the column does not tell the tags.
    expect(documents[0]!.columns!.misc).toEqual(['_', 'SpaceAfter=No', 'SpaceAfter=No|Gloss=x']);
    expect(codec.writeDocument(documents[0]!)).toBe(text);
  });

  it('writes them, and leaves all else', async () => {
    const [document] = (await readAll(codec, text)).documents;
    const tokens = ['Ann', 'in', 'Rome'];
    expect(codec.write({ document: document!, tokens, tags: ['O', 'B-LOC', 'B-LOC'] })).toBe(
      text
        .replace('nsubj\t_\tname=B-PER', 'nsubj\t_\tname=O')
        .replace('case\t_\tSpaceAfter=No', 'case\t_\tSpaceAfter=No|name=B-LOC'),
    );
    const written = codec.writeDocument({
      tokens,
      tags: ['B-PER', 'O', 'B-LOC'],
      columns: { misc: ['_', '_', 'Gloss=x'] },
    });
    expect(written.split('\n').map(row => row.split('\t')[9])).toEqual([
      ...['name=B-PER', '_', 'Gloss=x|name=B-LOC', undefined, undefined],
    ]);
    expect((await readAll(codec, written)).documents[0]!.tags).toEqual(['B-PER', 'O', 'B-LOC']);
  });

  it.each([
    ['NER=S-PER', { tag: 'misc.NER' }, ['S-PER']],
    ['ne=PER_B', { tag: 'misc.ne', spanTags: 'X_B' }, ['B-PER']],
    ['ner=B-PER', { tag: 'misc.NER' }, ['O']],
    ['NER=a=b', { tag: 'misc.NER' }, ['a=b']],
    ['_', { tag: 'misc.NER' }, ['O']],
  ])('reads %s with %j', async (misc, options, tags) => {
    const row = `1\tAnn\t_\t_\t_\t_\t_\t_\t_\t${misc}\n\n`;
    expect((await readAll(conlluCodec(options), row)).documents[0]!.tags).toEqual(tags);
  });

  it('reads one of FEATS', async () => {
    const row = '1\tAnn\t_\t_\t_\tCase=Nom|Number=Sing\t_\t_\t_\t_\n\n';
    const found = (await readAll(conlluCodec({ tag: 'feats.Number' }), row)).documents[0]!;
    expect([found.tags, found.columns!.feats]).toEqual([['Sing'], ['Case=Nom']]);
  });

  it.each(['name', 'misc.', 'misc.a b', 'upos.x', 'form', 'mics.name'])('refuses %s', tag => {
    expect(() => conlluCodec({ tag })).toThrow('there is no');
  });

  it('has a column of nothing but _ as no tags', async () => {
    const row = '1\tAnn\t_\t_\t_\t_\t_\t_\t_\t_\n\n';
    for (const tag of ['upos', 'xpos', 'misc', 'feats', 'deprel']) {
      const { documents } = await readAll(conlluCodec({ tag }), row);
      expect(documents[0]!.tags ?? documents[0]!.partialTags).toBeUndefined();
    }
  });
});
