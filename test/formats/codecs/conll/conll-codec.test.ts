import { describe, expect, it } from 'vitest';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { readBlocks } from '../../../../src/runtime/io/blocks/read-blocks.js';
import { bytesOf, content, cut, readAll } from '../../../runtime/io/sources/read-all.js';

const two = 'Ann NNP B-NP\nruns VBZ B-VP\n\n\nHi UH O\n';

describe('conllCodec, a line end in a cell of CSV', () => {
  it.each([
    [{ columns: ['form', 'tag'] }, 'Ann,B-PER\n"is\nit",O\nx,O\n\nb,O\n\n', 2],
    [
      { columns: ['sentence', 'form', 'tag'], sentence: 'sentence' },
      '1,Ann,B-PER\n1,"is\nit",O\n1,x,O\n2,b,O\n',
      2,
    ],
    [
      { columns: ['sentence', 'form', 'tag'], sentence: 'sentence' },
      '1,Ann,B-PER\n1,"is ""so\nit""",O\n1,x,O\n2,b,O\n',
      2,
    ],
  ])('with %j is one bad record that says so', async (options, text, line) => {
    const { documents, bad } = await readAll(conllCodec({ separator: 'comma', ...options }), text);
    expect(documents.map(({ tokens }) => tokens)).toEqual([['b']]);
    expect(bad).toHaveLength(1);
    expect(bad[0]!.error.message).toContain('a quoted cell is not closed on its line');
    expect(bad[0]!.error.place.line).toBe(line);
  });
});

describe('conllCodec, CSV', () => {
  const codec = conllCodec({ separator: 'comma', comment: 'word,' });
  const rows = '"New, York",NNP,B-LOC\n5" ""x,,O\n\n""""," ``",","\n\n';
  const sentences = [
    { tokens: ['New, York', '5" ""x'], columns: { pos: ['NNP', ''] }, tags: ['B-LOC', 'O'] },
    { tokens: ['"'], columns: { pos: [' ``'] }, tags: [','] },
  ];

  it('reads cells in quotes, and extends the rows as they are', async () => {
    const { documents } = await readAll(codec, `word,pos,tag\r\n${rows}`);
    expect(documents.map(content)).toEqual(sentences);
    const { tokens, tags } = documents[1]!;
    const tagged = { document: documents[1]!, tokens: tokens!, gold: tags!, tags: [','] };
    expect(codec.write(tagged)).toBe('""""," ``",",",","\n\n');
  });

  it('writes what it reads', async () => {
    const written = sentences.map(each => codec.writeDocument(each)).join('');
    expect(written).toBe('"New, York",NNP,B-LOC\n"5"" """"x",_,O\n\n"""", ``,","\n\n');
    const { documents } = await readAll(codec, written);
    expect(documents.map(({ tokens }) => tokens)).toEqual(sentences.map(({ tokens }) => tokens));
  });
});

describe('conllCodec, reading', () => {
  it('reads form, columns and gold tags of each sentence', async () => {
    const { documents } = await readAll(conllCodec(), two);
    expect(documents.map(content)).toEqual([
      { tokens: ['Ann', 'runs'], columns: { pos: ['NNP', 'VBZ'] }, tags: ['B-NP', 'B-VP'] },
      { tokens: ['Hi'], columns: { pos: ['UH'] }, tags: ['O'] },
    ]);
    expect(documents.map(document => document.raw)).toEqual([
      'Ann NNP B-NP\nruns VBZ B-VP',
      'Hi UH O',
    ]);
    expect(documents.map(document => document.delivery!.position)).toEqual([
      { source: 'test', line: 1, start: 0, end: 26 },
      { source: 'test', line: 5, start: 29, end: 36 },
    ]);
  });

  it('takes runs of blanks and tabs, and other spaces as part of a token', async () => {
    const { documents } = await readAll(conllCodec(), ' \u00a0b  \t N\tX \n');
    expect(content(documents[0]!)).toEqual({
      tokens: ['\u00a0b'],
      columns: { pos: ['N'] },
      tags: ['X'],
    });
  });

  it('takes single tabs where asked to', async () => {
    const { documents } = await readAll(conllCodec({ separator: 'tab' }), 'a b\t\tX\n');
    expect(content(documents[0]!)).toEqual({
      tokens: ['a b'],
      columns: { pos: [''] },
      tags: ['X'],
    });
  });

  it('finds the form by its name, or takes the first column, and passes over _', async () => {
    const named = conllCodec({ columns: ['_', 'tag', 'form', '_'] });
    expect(content((await readAll(named, '1 X a -\n')).documents[0]!)).toEqual({
      tokens: ['a'],
      tags: ['X'],
    });
    const first = conllCodec({ columns: ['word', 'tag'] });
    expect(content((await readAll(first, 'a X\n')).documents[0]!)).toEqual({
      tokens: ['a'],
      tags: ['X'],
    });
  });

  it('leaves a sentence unlabelled whose tags are all _, or without a tag column', async () => {
    const text = 'a N _\nb N _\n\na N _\nb N X\n';
    const { documents } = await readAll(conllCodec(), text);
    expect(documents.map(document => document.tags)).toEqual([undefined, ['_', 'X']]);
    const untagged = conllCodec({ columns: ['form', 'pos'] });
    expect((await readAll(untagged, 'a N\n')).documents[0]!.tags).toBeUndefined();
  });

  it('rejects a whole sentence for a wrong row, which it names', async () => {
    const text = 'a N X\n\nb N X\nc N\nd N X\n\ne N X\n';
    const { documents, bad } = await readAll(conllCodec(), text);
    expect(documents.map(document => document.tokens)).toEqual([['a'], ['e']]);
    expect(bad.length).toBe(1);
    expect(bad[0]!.error.message).toBe(
      'test:4: 2 columns in a row, expected 3 (write each row as form pos tag; a blank line ends a sentence)',
    );
    expect(bad[0]!.error.code).toBe('wrong-shape');
    expect(bad[0]!.position).toEqual({ source: 'test', line: 3, start: 7, end: 22 });
    expect(Buffer.from(bad[0]!.raw).toString()).toBe('b N X\nc N\nd N X');
  });

  it('rejects a whole sentence for a row that is not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a N X\nb'),
      Buffer.of(0xff),
      Buffer.from(' N X\n\nc N X'),
    ]);
    const { documents, bad } = await readAll(conllCodec(), [bytes]);
    expect(documents.map(document => document.tokens)).toEqual([['c']]);
    expect([bad[0]!.error.code, bad[0]!.error.place.line]).toEqual(['invalid-utf8', 2]);
    expect(Buffer.from(bad[0]!.raw)).toEqual(bytes.subarray(0, bytes.indexOf('\n\nc')));
  });

  it('holds no sentence that is too long', async () => {
    const codec = conllCodec({ columns: ['form'], maxLineBytes: 7 });
    const { documents, bad } = await readAll(codec, `${'aa\n'.repeat(1000)}\nbbb\nccc\n\nd`);
    expect(documents.map(document => document.tokens)).toEqual([['bbb', 'ccc'], ['d']]);
    expect(
      bad.map(({ error, position, truncated }) => [error.code, position.end, truncated]),
    ).toEqual([['too-long', 2999, true]]);
    expect(Buffer.from(bad[0]!.raw).toString()).toBe('aa\naa');
  });

  it('passes over comments, and takes a block of nothing else for no record', async () => {
    const codec = conllCodec({ columns: ['form', 'tag'], comment: '#' });
    const { documents, bad } = await readAll(codec, '# head\n\n# one\na X\n# inside\nb Y\n');
    expect(bad).toEqual([]);
    expect(documents.map(content)).toEqual([{ tokens: ['a', 'b'], tags: ['X', 'Y'] }]);
  });

  it.each([
    ['tab', 'word\tpos\ttag', 'word\tpos'],
    ['comma', 'word,pos,tag', 'word,pos'],
    ['whitespace', 'word pos tag', 'word pos'],
  ] as const)(
    'knows a header without the name of the tags, where they may lack: %s',
    async (separator, comment, header) => {
      const text = `${header}\n${header.replace('word', 'Ann').replace('pos', 'NNP')}\n`;
      const read = async (more: object) =>
        (await readAll(conllCodec({ separator, ...more }), text)).documents.map(
          ({ tokens }) => tokens,
        );
      expect(await read({ comment, tagOptional: true })).toEqual([['Ann']]);
      for (const other of [{ comment: '#', tagOptional: true }, { tagOptional: true }]) {
        expect(await read(other)).toEqual([['word', 'Ann']]);
      }
      expect(await read({ comment })).toEqual([]);
    },
  );

  it('refuses a column name that stands twice', () => {
    expect(() => conllCodec({ columns: ['form', 'pos', 'pos'] })).toThrowError(
      'conll.columns: duplicate column name',
    );
  });
});

describe('conllCodec, writing', () => {
  it('adds the predicted tag to the own rows, after the gold tag', async () => {
    const codec = conllCodec({ comment: '#' });
    const { documents } = await readAll(codec, '# x\nAnn  NNP B-NP\nruns\tVBZ\tB-VP\n');
    const tagged = { document: documents[0]!, tokens: ['Ann', 'runs'], tags: ['O', 'I VP'] };
    expect(codec.write({ ...tagged, gold: ['B-NP', 'B-VP'] })).toBe(
      '# x\nAnn  NNP B-NP O\nruns\tVBZ\tB-VP\tI_VP\n\n',
    );
  });

  it('repeats a gold tag that is not the last column', async () => {
    const codec = conllCodec({ columns: ['form', 'tag', 'pos'] });
    const { documents } = await readAll(codec, 'a X N\n');
    expect(codec.write({ document: documents[0]!, tokens: ['a'], tags: ['Y'], gold: ['X'] })).toBe(
      'a X N X Y\n\n',
    );
  });

  it('writes new rows for a document from elsewhere, a blank line after each sentence', () => {
    const document = { text: 'x', columns: { pos: ['N', 'V', 'P'] } };
    const tagged = {
      document,
      tokens: ['a b', 'c', ''],
      sentences: [
        [0, 2],
        [2, 3],
      ] as const,
      tags: ['X', 'Y', 'Z'],
    };
    expect(conllCodec().write(tagged)).toBe('a_b N X\nc V Y\n\n_ P Z\n\n');
    expect(conllCodec().write({ ...tagged, gold: ['K', 'L', 'M'] })).toBe(
      'a_b N K X\nc V L Y\n\n_ P M Z\n\n',
    );
    expect(conllCodec({ separator: 'tab' }).write(tagged).split('\n')[0]).toBe('a b\tN\tX');
  });

  it('writes a document with its gold tags, _ for what it has not', () => {
    const codec = conllCodec({ columns: ['form', 'pos', '_', 'tag'] });
    expect(codec.writeDocument({ tokens: ['a'], tags: ['X'] })).toBe('a _ _ X\n\n');
    expect(codec.writeDocument({ tokens: ['a'], columns: { pos: [1.5] } })).toBe('a 1.5 _ _\n\n');
  });

  it('cannot write a document without tokens', () => {
    expect(() => conllCodec().writeDocument({ text: 'a' })).toThrowError(
      'a record without tokens cannot be written as CoNLL (find its tokens first: tagstream tokenize, or convert)',
    );
  });

  it('writes new rows where the raw ones are of another layout or length', async () => {
    const { documents } = await readAll(conllCodec({ columns: ['form', '_'] }), 'a 1\n');
    const tagged = { document: documents[0]!, tokens: ['a'], tags: ['X'] };
    expect(conllCodec({ columns: ['form', 'pos', 'tag'] }).write(tagged)).toBe('a _ X\n\n');
    const codec = conllCodec({ columns: ['form', '_'] });
    expect(codec.write({ ...tagged, tokens: ['a', 'b'], tags: ['X', 'Y'] })).toBe(
      'a _ X\nb _ Y\n\n',
    );
  });

  it.each(['-DOCSTART- O', '-DOCSTART- O\n'])('knows where a document begins: %j', async mark => {
    const text = `a X\n\n${mark}\nb X\n\nc X\n`;
    for (const comment of [undefined, '#', '-DOCSTART-']) {
      const codec = conllCodec({ columns: ['form', 'tag'], comment });
      const { documents } = await readAll(codec, text);
      expect(documents.map(({ tokens, startsDocument }) => [tokens![0], startsDocument])).toEqual([
        ['a', undefined],
        ['b', true],
        ['c', undefined],
      ]);
    }
  });

  it('keeps a mark of a document among the rows of its sentence', async () => {
    const codec = conllCodec({ columns: ['form', 'tag'] });
    const { documents } = await readAll(codec, '-DOCSTART- O\na X\n');
    expect(codec.write({ document: documents[0]!, tokens: ['a'], tags: ['Y'] })).toBe(
      '-DOCSTART- O\na X Y\n\n',
    );
  });
});

describe('conllCodec, sentences that a column numbers', () => {
  const columns = ['sentence', 'form', 'tag'];
  const words = [['Ann', 'flew', '"'], ['Ben'], ['to', 'New\u00a0York'], ['Eve', 'ran']];
  const numbers = ['Sentence: 1', '2', '2a', '10'];
  const separators = { comma: ',', semicolon: ';', tab: '\t' } as const;

  /** A file whose first rows alone are numbered, or all of them. */
  function rows(separator: keyof typeof separators, isFilled: boolean): string {
    const between = separators[separator];
    const cell = (word: string) => (word === '"' && separator !== 'tab' ? '""""' : word);
    const lines = words.flatMap((sentence, s) =>
      sentence.map((word, i) =>
        [isFilled || i === 0 ? numbers[s] : '', cell(word), 'X'].join(between),
      ),
    );
    return `${[`Sentence #${between}Word${between}Tag`, ...lines].join('\n')}\n`;
  }

  const cases = (['comma', 'semicolon', 'tab'] as const).flatMap(separator =>
    [false, true].map(isFilled => [separator, isFilled] as const),
  );
  const codecFor = (separator: keyof typeof separators) =>
    conllCodec({ columns, separator, sentence: 'sentence', comment: 'Sentence #' });

  it.each(cases)(
    'are records, separated by a %s, all rows numbered: %s',
    async (separator, isFilled) => {
      const codec = codecFor(separator);
      const wanted = words.map((tokens, s) => ({
        id: numbers[s],
        tokens,
        tags: tokens.map(() => 'X'),
      }));
      for (const text of [
        rows(separator, isFilled),
        rows(separator, isFilled).replaceAll('\n', '\r\n'),
      ]) {
        for (const size of [1, 7, 1000]) {
          const { documents, bad } = await readAll(codec, cut(bytesOf(text), size));
          expect(bad).toEqual([]);
          expect(documents.map(content)).toEqual(wanted);
        }
        for (const [size, blockBytes] of [
          [1, 1],
          [5, 1],
          [1000, 10],
          [3, 1000],
        ] as const) {
          const found: unknown[] = [];
          const options = { source: 'in', codec, signal: new AbortController().signal, blockBytes };
          const lines: number[] = [];
          for await (const item of readBlocks(cut(bytesOf(text), size), options)) {
            if (item.kind === 'bad') throw item.bad.error;
            const { bytes, offset, line } = item.block;
            lines.push(line);
            const { documents } = await readAll(codec, Buffer.from(bytes).toString());
            expect(
              text.slice(offset > 0 ? Buffer.from(text).subarray(0, offset).toString().length : 0),
            ).toContain(Buffer.from(bytes).toString());
            found.push(...documents.map(content));
          }
          expect(found).toEqual(wanted);
          if (blockBytes === 1) expect(lines).toEqual([1, 5, 6, 8]);
        }
      }
    },
  );

  it.each(cases)(
    'keep the rows as they are when they are tagged (%s, %s)',
    async (separator, isFilled) => {
      const codec = codecFor(separator);
      const text = rows(separator, isFilled);
      const { documents } = await readAll(codec, text);
      const tagged = documents.map(document => {
        const { tokens, tags } = document;
        return codec.write({ document, tokens: tokens!, gold: tags!, tags: tags! });
      });
      const between = separators[separator];
      const [header, ...lines] = text.trimEnd().split('\n');
      const expected = [header, ...lines.map(line => `${line}${between}X`)];
      expect(
        tagged
          .join('')
          .split('\n')
          .filter(line => line !== ''),
      ).toEqual(expected);
    },
  );

  it('are written with their number in each row, and read back', async () => {
    for (const separator of ['comma', 'tab', 'whitespace'] as const) {
      const codec = conllCodec({ columns, separator, sentence: 'sentence' });
      const documents = [
        { id: '1', tokens: ['a', 'b'], tags: ['X', 'Y'] },
        { id: '2', tokens: ['c'], tags: ['X'] },
      ];
      const text = documents.map(document => codec.writeDocument(document)).join('');
      expect((await readAll(codec, text)).documents.map(content)).toEqual(documents);
      const dense = text.replaceAll('\n\n', '\n');
      expect((await readAll(codec, dense)).documents.map(content)).toEqual(documents);
    }
  });

  it('are bad one by one', async () => {
    const codec = conllCodec({ columns, separator: 'comma', sentence: 'sentence' });
    const text = '1,a,X\n,b\n2,c,X\n,"New\nYork",X\n3,\xff,X\n4,d,X\n';
    const { documents, bad } = await readAll(codec, [Buffer.from(text, 'latin1')]);
    expect(documents.map(({ tokens }) => tokens)).toEqual([['d']]);
    expect(bad.map(({ error, position }) => [error.code, position.line])).toEqual([
      ['wrong-shape', 1],
      ['wrong-shape', 3],
      ['invalid-utf8', 6],
    ]);
  });

  it('may be of documents', async () => {
    const codec = conllCodec({ columns, separator: 'comma', sentence: 'sentence' });
    const { documents } = await readAll(codec, '1,a,X\n,b,X\n-DOCSTART-,,\n2,c,X\n3,d,X\n');
    expect(
      documents.map(({ tokens, startsDocument }) => [tokens, startsDocument === true]),
    ).toEqual([
      [['a', 'b'], false],
      [['c'], true],
      [['d'], false],
    ]);
  });

  it('need a column of that name', () => {
    expect(() => conllCodec({ columns, sentence: 'sent' })).toThrow(
      'there is no column sent to number the sentences (columns are sentence, form, tag)',
    );
    expect(() => conllCodec({ columns, sentence: 'form' })).toThrow('other than form and tag');
  });
});
