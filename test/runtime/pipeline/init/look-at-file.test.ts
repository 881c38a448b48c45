import { describe, expect, it } from 'vitest';
import type { Hints } from '../../../../src/runtime/pipeline/init/guess/column-look.js';
import { lookAtFile } from '../../../../src/runtime/pipeline/init/look-at-file.js';
import { headOf } from './head-of.js';

const look = (text: string | Uint8Array, hints: Hints = {}) => {
  const { format, options, columns, warnings } = lookAtFile(headOf(text), 'in', hints);
  return { format, options, columns, warnings };
};
const problem = (text: string | Uint8Array, hints: Hints = {}, name = 'in') => {
  try {
    lookAtFile(headOf(text), name, hints);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

/** Rows of a corpus with words enough that no label column is as large. */
const rows = (row: (word: string, i: number) => string, count = 200) =>
  Array.from({ length: count }, (_, i) => row(`w${i}`, i) + (i % 5 === 4 ? '\n' : '')).join('\n');
const pos = ['DT', 'NN', 'VB'];
const bio = ['B-PER', 'I-PER', 'O', 'O', 'B-LOC'];
const phrases = ['B-NP', 'I-NP', 'O', 'B-VP'];

describe('columns', () => {
  it('takes the first for the tokens, the last for the tags, and names what is between', () => {
    const text = rows((word, i) => `${word} ${pos[i % 3]} ${phrases[i % 4]} ${bio[i % 5]}`);
    expect(look(text)).toEqual({
      format: 'conll',
      options: { columns: ['form', 'pos', 'chunk', 'tag'] },
      columns: [
        { name: 'pos', holds: 'pos' },
        { name: 'chunk', holds: 'chunk' },
      ],
      warnings: [],
    });
  });

  it('takes a column of many hundred tags for tags, where each is seen again and again', () => {
    // 600 tags, each 70 times: more than one in five rows could have, or 500.
    const text = rows((_, i) => `w${i % 9000} T${(i * 7) % 600}`, 42_000);
    expect(look(text).options.columns).toEqual(['form', 'tag']);
    expect(problem(rows((_, i) => `w${i % 9000} T${(i * 7) % 2000}`, 42_000))).toContain(
      'no column looks like tags',
    );
  });

  it('finds tokens and tags wherever they are', () => {
    const columnsOf = (row: (word: string, i: number) => string, hints: Hints = {}) =>
      look(rows(row), hints).options.columns;
    expect(columnsOf((word, i) => `${bio[i % 5]} ${word}`)).toEqual(['tag', 'form']);
    expect(columnsOf((word, i) => `${(i % 5) + 1} ${word} ${bio[i % 5]}`)).toEqual([
      '_',
      'form',
      'tag',
    ]);
    expect(columnsOf((word, i) => `${word} ${bio[i % 5]} lemma${i}`)).toEqual([
      'form',
      'tag',
      'c3',
    ]);
    expect(columnsOf((word, i) => `${word} _ X ${bio[i % 5]} _`)).toEqual([
      'form',
      '_',
      '_',
      'tag',
      '_',
    ]);
    expect(columnsOf((word, i) => `${word} ${pos[i % 3]} ${pos[i % 2]} ${bio[i % 5]}`)).toEqual([
      'form',
      'pos',
      'c3',
      'tag',
    ]);
  });

  it('takes the column that fits the task', () => {
    const text = rows((word, i) => `${word} ${pos[i % 3]} ${phrases[i % 4]} ${bio[i % 5]}`);
    expect(look(text, { task: 'pos' }).options.columns).toEqual(['form', 'tag', 'chunk', 'c4']);
    expect(look(text, { task: 'chunk' }).options.columns).toEqual(['form', 'pos', 'tag', 'c4']);
    expect(look(text, { tag: '2' }).options.columns).toEqual(['form', 'tag', 'chunk', 'c4']);
    expect(look(text, { columns: ['form', 'tag', '_', '_'] }).options.columns).toEqual([
      'form',
      'tag',
      '_',
      '_',
    ]);
    expect(problem(text, { tag: '7' })).toBe(
      'in: there is no column 7 (name the columns: --columns form,pos,tag)',
    );
    expect(problem(text, { columns: ['form', 'tag'] })).toMatch(
      /the rows have 4 columns, but you gave 2 names \(name each column: --columns form,_,_,tag\)/,
    );
  });

  it('takes tabs where cells have blanks or are empty, else any blanks', () => {
    const separator = (text: string) => look(text).options.separator;
    expect(separator('New York\tB-LOC\nis\tO\n\n')).toBe('tab');
    expect(separator('a\tX\nb\tY\n\n')).toBe('tab');
    expect(separator('-DOCSTART-\n\nNew York\tB-LOC\nis\tO\n\n')).toBe('tab');
    expect(separator('a X\nb\tY\n\n')).toBeUndefined();
    expect(separator('a  X\nb Y\n\n')).toBeUndefined();
    expect(separator('a,X\nb,Y\n\n')).toBe('comma');
    expect(separator('a;X\n";";Y\n\n')).toBe('semicolon');
  });

  it('takes CSV with a header and cells in quotes', () => {
    const { options } = look(
      'sentence,word,tag\n1,"New, York",B-LOC\n1,is,O\n\n2,Bergen,B-LOC\n2,too,O\n',
    );
    expect(options).toEqual({
      columns: ['_', 'form', 'tag'],
      separator: 'comma',
      comment: 'sentence,word,tag',
    });
  });

  it('takes a first line that names the columns after # for that alone, and # for a token', () => {
    const { options } = look('# Word\tPOS\tTag\nAnn\tNN\tX\n\n#\tSYM\tY\nAnn\tNN\tX\n\n');
    expect(options).toEqual({
      columns: ['form', 'pos', 'tag'],
      separator: 'tab',
      comment: '# Word\tPOS\tTag',
    });
  });

  it('passes over comments and -DOCSTART-, and keeps # as a token', () => {
    const comment = (text: string) => look(text).options.comment;
    expect(comment('# a b c d\nx DT\ny NN\n\n')).toBe('# ');
    expect(comment('#id=1\nx DT\ny NN\n\n')).toBe('#');
    expect(comment('-DOCSTART- O\n\nx O\ny B-X\n\n')).toBeUndefined();
    expect(comment('-DOCSTART-\n\n# a b\nx O\ny B-X\n\n')).toBe('# ');
    expect(comment('x DT\n# NN\n\ny NN\n')).toBeUndefined();
    expect(comment('#a b c\nx DT\n#top NN\n\ny NN\n')).toBe('#a ');
  });

  it('knows comments by what they hold where rows begin with # as well', () => {
    const comment = (text: string) => look(text).options.comment;
    // Of as many cells as a row, but at the head of a sentence, and no tag.
    expect(comment('# new\n# text = a b\nx DT\n\n# It ends.\n# id 2\ny NN\n\n')).toBe('# ');
    expect(comment('#new d\n#text = a b\n#id\nx DT\n\ny NN\n\n')).toBe('#');
    // The token # stays, in a sentence and at its head.
    expect(comment('# text = a b\nx DT\n# NN\n\n# text = c\ny NN\n\n')).toBe('# text ');
    expect(comment('# text = a b\nx DT\n# NN\n\n# NN\ny NN\n\n')).toBe('# text ');
    const ambiguous = [
      '# text = a b\nx DT\ny NN\n\n# SYM\ny NN\n\n',
      '# text = a\n# sent_id = 1\nx DT\n# NN\n\ny NN\n',
      'x DT\n# a b\n# NN\ny NN\n',
    ];
    for (const text of ambiguous) {
      expect(problem(text)).toMatch(
        /^in:[12]: a row of \d columns, where most have 2 \(if lines that begin with # are comments: .* comment: "#"/,
      );
    }
    expect(problem('x DT\ny NN z\n\ny NN\n')).not.toContain('comment');
  });

  it('reads a byte order mark and CRLF', () => {
    expect(look('\ufeffa X\r\nb Y\r\n\r\nc X\r\n').options).toEqual({ columns: ['form', 'tag'] });
  });

  it('warns of one sentence, and of one label', () => {
    expect(look('a X\nb Y\n').warnings).toEqual([
      'there is no blank line, so everything is one sentence; put one after each sentence',
    ]);
    expect(look('a O\nb O\n\nc O\n').warnings).toEqual([
      'all tags are O: a model cannot learn from a single label',
    ]);
  });
});

describe('other formats', () => {
  const blank = '_\t_\t_\t_\t_\t_';
  it('knows CoNLL-U, and takes XPOS where there is no UPOS', () => {
    const text = (upos: string, xpos: string) =>
      `# text = a b\n1-2\tab\t_\t_\t_\t${blank.slice(2)}\n1\ta\ta\t${upos}\t${xpos}\t${blank.slice(2)}\n2\tb\tb\t${upos}\t${xpos}\t${blank.slice(2)}\n\n`;
    expect(look(text('NOUN', 'NN') + text('VERB', 'VB'))).toMatchObject({
      format: 'conllu',
      options: { tag: 'upos' },
    });
    expect(look(text('_', 'NN')).options).toEqual({ tag: 'xpos' });
    expect(look(text('X', 'NN'), { tag: 'xpos' }).options).toEqual({ tag: 'xpos' });
    expect(problem(text('_', '_'))).toContain('every value of the column upos and xpos is _');
    expect(problem(text('X', 'NN'), { tag: 'ner' })).toContain('CoNLL-U has no column ner');
  });

  it('knows words with a tag for each letter', () => {
    expect(look('ab\txy\t10\t0\nabc\txyz\t000\t0\n')).toMatchObject({
      format: 'letters',
      options: { columns: ['word', 'phonemes', 'stress', 'class'] },
    });
    expect(look('abc\t7\txyz\nab\t8\txy\n').options).toEqual({
      columns: ['word', 'c2', 'phonemes'],
    });
  });

  it('knows NDJSON, with tags in their field or in a column', () => {
    const record = (tags: unknown, columns: unknown) =>
      JSON.stringify({ tokens: ['a', 'b'], tags, columns });
    expect(look(record(['X', 'Y'], undefined))).toMatchObject({ format: 'ndjson', options: {} });
    const both = `${record(['B-PER', 'O'], { upos: ['NOUN', 'VERB'] })}\n`.repeat(2);
    expect(look(both)).toMatchObject({ options: {}, columns: [{ name: 'upos', holds: 'pos' }] });
    expect(look(both, { task: 'pos' })).toMatchObject({ options: { tag: 'upos' }, columns: [] });
    expect(look(both, { tag: 'tags' }).options).toEqual({});
    expect(look(record(undefined, { upos: ['NOUN', 'VERB'] })).options).toEqual({ tag: 'upos' });
    expect(problem(both, { tag: 'ner' })).toContain(
      'no record has a column ner (there are: tags, upos)',
    );
  });

  it('makes features of no column that only some records have', () => {
    const some =
      '{"tokens":["a","b"],"tags":["B-X","O"],"columns":{"pos":["N","V"]}}\n{"tokens":["a"],"tags":["O"]}\n';
    expect(look(some).columns).toEqual([]);
  });
});

describe('what is no labelled file', () => {
  it.each([
    ['', 'in: the file is empty'],
    ['\n \n', 'in: the file is empty'],
    ['a\nb\n\nc\n', 'in: the rows have one column, so there are no tags'],
    ['a,X\nb,Y\nc,,Z\n', 'in:3: a row of 3 columns, where most have 2'],
    ['a;X\n\nb\n"c;";Y\n', 'in: the rows have one column'],
    ['It was late.\nNobody came to see it.\n\n', 'in: plain text without labels'],
    ['Ben flew to New York.\n', 'in: plain text without labels'],
    ['New York\nin the morning\nBen saw Anna Moss\n', 'annotate in --labels PER,LOC --out'],
    ['a b c\nd e\n', 'in: plain text without labels'],
    ['a X\nb\nc Y\n', 'in:2: a row of 1 column, where most have 2'],
    ['a b\nc d e\nx y\n', 'in:2: a row of 3 columns'],
    ['[\n{"tokens":[]}]', 'in: tokens without labels'],
    ['{"text":"a b"}\n', 'in: texts without labels (label some: tagstream annotate'],
    [
      '{"text":"Go, Ann"}\n{"text":"Ann","spans":[[0,3,"PER"]]}\n',
      'in: a span is a list, [0,3,"PER"] (write {"start": 0, "end": 4, "label": "PER"}, offsets in UTF-16 units, or rename spans to label: doccano',
    ],
    ['{"text":"Ann","spans":[["PER",0,3]]}\n', '"label": "PER"}, offsets in UTF-16 units)'],
    ['{"tokens":["a"]}\n', 'in: tokens without labels'],
    [
      '{"tokens":["a"],"ner":["O"]}\n',
      'in: no record has tags (if they are in ner, name it: --tag ner)',
    ],
    [
      '{"tokens":["a"],"ner":[0]}\n',
      'in: ner holds numbers, 0 to 0, and they have no names (name them in order from 0: --labels',
    ],
    [
      '{"tokens":["a","b"],"tags":[0,4]}\n',
      'in: tags holds numbers, 0 to 4, and they have no names',
    ],
    [
      '{"words":["a"],"labels":["O"]}\n',
      'in: no record has tags (if they are in labels, name it: --tag labels)',
    ],
    ['{"tokens": nonsense\n', 'in: no record has tokens'],
    [
      Uint8Array.of(0xe9, 32, 88, 10),
      'in: it is not UTF-8 (convert it to UTF-8, for example with iconv -f latin1 -t utf-8)',
    ],
    [
      Uint8Array.of(0xff, 0xfe, 97, 0),
      'in: it is UTF-16 (convert it to UTF-8, for example with iconv -f utf-16 -t utf-8)',
    ],
    [
      Uint8Array.of(0xfe, 0xff, 0, 97),
      'in: it is UTF-16 (convert it to UTF-8, for example with iconv -f utf-16 -t utf-8)',
    ],
  ])('says what is wrong with %j', (text, message) => {
    expect(problem(text)).toContain(message);
  });

  it('takes no rows for text because of their last words, comments or marks of documents', () => {
    for (const text of [
      '. .\n! .\n\nx X\n',
      '# It ends.\nx X\n\n# So does it.\ny Y\n',
      '-DOCSTART- O O O\n\nx X\n',
    ]) {
      expect(look(text).format).toBe('conll');
    }
    const odd = 'Mr. Ms.\nDr. St.\n\nJr. Sr.\n';
    expect(problem(odd)).toContain('plain text');
    expect(look(odd, { columns: ['form', 'tag'] }).format).toBe('conll');
  });

  it('takes the column for words that a header names so, and one that numbers the sentences', () => {
    for (const [header, first, second, third] of [
      [
        'Sentence #\tWord\tPOS\tTag',
        'Sentence: 1\tAnn\tNNP\tB-PER',
        '\tran\tVBD\tO',
        'Sentence: 2\tBen\tNNP\tB-PER',
      ],
      ['sentence_id,word,pos,tag', '1,Ann,NNP,B-PER', '1,ran,VBD,O', '2,Ben,NNP,B-PER'],
      ['sent_idx;word;pos;tag', '0;Ann;NNP;B-PER', '0;ran;VBD;O', '1;Ben;NNP;B-PER'],
    ]) {
      const { options, warnings, columns } = look(`${[header, first, second, third].join('\n')}\n`);
      expect(options).toMatchObject({
        columns: ['sentence', 'form', 'pos', 'tag'],
        sentence: 'sentence',
        comment: header,
      });
      expect(warnings).toEqual([]);
      expect(columns.map(({ name }) => name)).not.toContain('sentence');
    }
    const numbered = look(
      ',Sentence #,Word,Tag\n0,Sentence: 1,Ann,B-PER\n1,,ran,O\n2,Sentence: 2,Ben,B-PER\n',
    );
    expect(numbered.options.columns).toEqual(['_', 'sentence', 'form', 'tag']);
    const divided = look('Sentence #\tWord\tTag\n1\tAnn\tB-PER\n\tran\tO\n\n2\tBen\tB-PER\n');
    expect(divided.options).toMatchObject({ columns: ['_', 'form', 'tag'] });
    expect(divided.options.sentence).toBeUndefined();
  });

  it('finds numbers of sentences without a header', () => {
    const rows = (isFilled: boolean) =>
      Array.from({ length: 30 }, (_, i) => {
        const number = isFilled || i % 3 === 0 ? 7 + Math.floor(i / 3) : '';
        return `${number},${['Ann', 'ran', 'home'][i % 3]}${i},${i % 3 === 0 ? 'B-PER' : 'O'}\n`;
      }).join('');
    for (const isFilled of [true, false]) {
      expect(look(rows(isFilled)).options).toMatchObject({
        columns: ['sentence', 'form', 'tag'],
        sentence: 'sentence',
      });
    }
    expect(look('a B-X\nb O\nc O\nd O\n').options.sentence).toBeUndefined();
  });

  it('knows a DocBin by its name', () => {
    expect(problem('x', {}, 'train.spacy')).toContain('train.spacy: a spaCy DocBin');
  });

  it('says how a name with blanks is given to annotate', () => {
    expect(problem('It is late.\n', {}, "my text's.txt")).toContain(
      `annotate 'my text'\\''s.txt' --labels`,
    );
  });

  it('says that no column looks like tags', () => {
    expect(problem(rows((word, i) => `${word} x${i}`))).toContain('in: no column looks like tags');
  });

  it('does not cut a letter at the end of what was read', () => {
    const bytes = new TextEncoder().encode('a X\nb Y\n\né');
    const head = { bytes: bytes.subarray(0, bytes.length - 1), whole: false, fileBytes: 900 };
    expect(lookAtFile(head, 'in', {}).options).toEqual({ columns: ['form', 'tag'] });
  });
});
