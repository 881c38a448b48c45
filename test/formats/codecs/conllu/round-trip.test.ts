import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { conlluCodec } from '../../../../src/formats/codecs/conllu/conllu-codec.js';
import { universalTags } from '../../../../src/formats/codecs/conllu/result-place.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { isNightly } from '../../../house/long-forms.js';
import { readAll } from '../../../runtime/io/sources/read-all.js';

const parts = [...universalTags];

/** A valid sentence, with everything that CoNLL-U can say of it. */
function sentenceOf(random: Random, number: number): string {
  const below = (most: number) => random.below(most);
  const pick = <T>(items: readonly T[]) => items[below(items.length)]!;
  const oneIn = (n: number) => below(n) === 0;
  const hasParts = !oneIn(8);
  const rows: string[] = [];
  const surface: { readonly form: string; readonly isSpaced: boolean }[] = [];
  const size = 1 + below(7);
  const forms = () => pick(['Ann', 'é', '😀', 'New York', '_', '1/2', 'a"b', 'don', '日本', '#']);
  const row = (id: string, form: string, more: Partial<Record<string, string>>) => {
    const names = ['lemma', 'upos', 'xpos', 'feats', 'head', 'deprel', 'deps', 'misc'];
    rows.push([id, form, ...names.map(name => more[name] ?? '_')].join('\t'));
  };
  const word = (id: number, form: string, misc: string) => {
    const upos = hasParts && !oneIn(6) ? pick(parts) : '_';
    row(String(id), form, {
      ...{ upos, misc },
      lemma: pick([form, 'be', '_']),
      xpos: pick([upos, 'NN', '_']),
      feats: pick(['_', 'Case=Nom', 'Case=Nom|Number=Sing']),
      ...(oneIn(3) ? {} : { head: String(below(id)), deprel: pick(['root', 'obl:arg']) }),
      deps: pick(['_', '0:root', '1:obj|8.1:nsubj']),
    });
  };
  for (let id = 1; id <= size; ) {
    if (oneIn(6)) row(`${id - 1}.1`, 'went', { lemma: 'go', deps: '1:conj' });
    const isLast = id === size;
    const isSpaced = oneIn(2) || (isLast && oneIn(2));
    const misc = [isSpaced ? [] : ['SpaceAfter=No'], oneIn(3) ? ['Gloss=a'] : []].flat();
    const said = misc.length === 0 ? '_' : misc.join('|');
    if (id < size && oneIn(4)) {
      const form = pick(['du', 'vámonos', 'dont']);
      surface.push({ form, isSpaced });
      row(`${id}-${id + 1}`, form, {
        misc: said,
        ...(oneIn(2) ? { lemma: 'irse', deps: '0:root', feats: 'Typo=Yes' } : {}),
      });
      const [a, b] = form === 'dont' ? ['do', 'nt'] : ['de', 'le'];
      word(id, a!, pick(['_', 'Ref=1']));
      word(id + 1, b!, '_');
      id += 2;
    } else {
      const form = forms();
      surface.push({ form, isSpaced });
      word(id, form, said);
      id += 1;
    }
  }
  const text = surface
    .map(({ form, isSpaced }, i) => form + (isSpaced && i + 1 < surface.length ? ' ' : ''))
    .join('');
  const comments = [
    ...(oneIn(5) ? ['# newdoc id = d'] : []),
    ...(oneIn(5) ? ['# newpar'] : []),
    `# sent_id = s${number}`,
    `# text = ${text}`,
    ...(oneIn(6) ? [`# weight = ${1 + below(3)}`] : []),
    ...(oneIn(6) ? ['# genre = news'] : []),
  ];
  return `${[...comments, ...rows].join('\n')}\n\n`;
}

/** The lines that NDJSON does not hold, by the names under which a conversion lists them. */
const lost = {
  '# newdoc id': /^# newdoc/,
  '# comments': /^# newpar$/,
  '# genre': /^# genre/,
  '# weight': /^# weight/,
  'empty nodes': /^\d+\.\d+\t/,
} as const;

describe('CoNLL-U through NDJSON', () => {
  it('loses nothing but what the conversion lists', { tags: 'slow' }, async () => {
    const random = new Random(11);
    const [conllu, ndjson] = [conlluCodec(), ndjsonCodec()];
    const seen = new Set<string>();
    const all = Array.from({ length: isNightly ? 20_000 : 1000 }, (_, i) => sentenceOf(random, i));
    const { documents, bad } = await readAll(conllu, all.join(''));
    expect([bad, documents.length]).toEqual([[], all.length]);
    for (const [i, document] of documents.entries()) {
      const listed = new Set(conllu.unread!(document));
      const line = ndjson.writeDocument(document, undefined, name => listed.add(name));
      const [record] = (await readAll(ndjson, line)).documents;
      const back = conllu.writeDocument(record!, undefined, name => listed.add(name));
      for (const name of listed) seen.add(name);
      const isLost = (row: string) =>
        Object.entries(lost).some(([name, form]) => listed.has(name) && form.test(row));
      expect(back.split('\n')).toEqual(all[i]!.split('\n').filter(row => !isLost(row)));
    }
    expect([...seen].sort()).toEqual([...Object.keys(lost), 'start of a document'].sort());
  });

  it.each([
    [['B-PER', 'I-PER', 'O'], 'misc.name', 9],
    [['O', 'O', 'O'], 'misc.name', 9],
    [['NN', 'VBZ', 'NN'], 'xpos', 4],
    [['ADV', 'NN', '$,'], 'xpos', 4],
    [['ADV', 'NOUN', 'X'], undefined, 3],
  ])('brings back the tags %j, which are in %s', async (tags, place, cell) => {
    const tokens = ['a', 'b', 'c'];
    for (const columns of [{}, { columns: { xpos: ['P', 'Q', '_'], misc: ['_', 'x=1', '_'] } }]) {
      const [codec, document] = [conlluCodec(), { tokens, tags, ...columns }];
      const isTaken = place === 'xpos' && 'columns' in columns;
      const text = codec.writeDocument(document);
      const said = isTaken ? 'misc.tag' : place;
      expect(/^# tags = (\S+)$/m.exec(text)?.[1]).toBe(said);
      const rows = text.split('\n').filter(row => /^\d/.test(row));
      const upos = rows.map(row => row.split('\t')[3]!);
      expect(upos.every(value => value === '_' || universalTags.has(value))).toBe(true);
      if (cell !== 9 && !isTaken) expect(rows.map(row => row.split('\t')[cell])).toEqual(tags);
      const [read] = (await readAll(codec, text)).documents;
      expect(read).toMatchObject(document);
    }
  });

  it('keeps the UPOS of a sentence that is tagged with names, and where they are', async () => {
    const codec = conlluCodec();
    const row = '1\tAnn\tAnn\tPROPN\tNNP\t_\t0\troot\t_\tSpaceAfter=No\n\n';
    const [document] = (await readAll(codec, `# sent_id = 1\n${row}`)).documents;
    const write = (tags: string[]) => codec.write({ document: document!, tokens: ['Ann'], tags });
    const named = write(['B-PER']);
    expect(named).toBe(`# sent_id = 1\n# tags = misc.name\n${row.replace('No', 'No|name=B-PER')}`);
    const [again] = (await readAll(codec, named)).documents;
    expect(again).toMatchObject({ tags: ['B-PER'], columns: { upos: ['PROPN'] } });
    // Other tags replace the comment.
    const parts = codec.write({ document: again!, tokens: ['Ann'], tags: ['NOUN'] });
    expect(parts).toBe(named.replace('# tags = misc.name\n', '').replace('PROPN', 'NOUN'));
  });

  it('has no sentence for a record without words', () => {
    const document = { text: ' ', id: '1' };
    for (const codec of [conlluCodec()]) {
      expect(() => codec.write({ document, tokens: [], offsets: [], tags: [] })).toThrow(
        'a record without words cannot be written as CoNLL-U',
      );
    }
  });
});

describe('CoNLL-U Plus', () => {
  const file =
    '# global.columns = UPOS ID FORM PARSEME:MWE\n# text = au lit\n_\t1-2\tau\t_\nADP\t1\tà\t*\nDET\t2\tle\t1:LVC\nNOUN\t3\tlit\t1\n\nADV\t1\tvite\t*\n\n';
  const columns = ['UPOS', 'ID', 'FORM', 'PARSEME:MWE'];

  it('is read in its columns, and written back in them', async () => {
    const codec = conlluCodec({ columns });
    const { documents, bad } = await readAll(codec, file);
    expect(bad).toEqual([]);
    expect(documents.map(({ tokens, tags }) => [tokens, tags])).toEqual([
      [
        ['à', 'le', 'lit'],
        ['ADP', 'DET', 'NOUN'],
      ],
      [['vite'], ['ADV']],
    ]);
    expect(documents[0]).toMatchObject({
      columns: { 'PARSEME:MWE': ['*', '1:LVC', '1'] },
      multiword: [[0, 2]],
    });
    const written = documents.map(document =>
      codec.write({ document, tokens: document.tokens!, tags: document.tokens!.map(() => 'X') }),
    );
    expect(written.join('')).toBe(file.replace(/^(?:ADP|DET|NOUN|ADV)\t/gm, 'X\t'));
  });

  it('is refused where its columns are not named, or lack the tags', async () => {
    const { bad } = await readAll(conlluCodec(), file);
    expect(bad[0]!.error.message).toContain(
      'name them in the source: conllu: { columns: [UPOS, ID, FORM, PARSEME:MWE] }',
    );
    const { documents } = await readAll(conlluCodec({ columns: ['FORM'] }), 'Ann\nran\n\n');
    expect(documents[0]).toMatchObject({ tokens: ['Ann', 'ran'] });
    expect(documents[0]!.tags).toBeUndefined();
    expect(() => conlluCodec({ columns, tag: 'lemma' })).toThrow('columns has no such column');
    expect(() => conlluCodec({ columns: ['ID', 'LEMMA'] })).toThrow('must have FORM');
  });
});
