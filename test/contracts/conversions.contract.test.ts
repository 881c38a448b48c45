import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { convert, type Dropped } from '../../src/runtime/io/convert.js';
import { DeadLetters } from '../../src/runtime/io/dead-letters/dead-letters.js';
import { openOutput } from '../../src/runtime/io/writing/open-output.js';
import { codecOf } from '../../src/runtime/pipeline/catalogue/codec-of.js';

/** A format, a record of it that is rich in fields, and these: what shows each in an output, and how a report names it. */
interface Source {
  readonly name: string;
  readonly format: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly input: string;
  readonly fields: readonly (readonly [shown: RegExp, name: string])[];
}

const rows = (...cells: string[]) => cells.map((row, i) => `${i + 1}\t${row}\n`).join('');

const ndjsonFields: Source['fields'] = [
  [/"id": ?"?7\.0|= 7\.0/, 'id'],
  [/"meta": ?\{"n":1\.0\}/, 'meta'],
  [/"ner_tags": ?\[1,0\]/, 'ner_tags'],
  [/"pos": ?\["Npos","Vpos"\]|Npos.*Vpos/s, 'columns.pos'],
  [/0\.125/, 'weight'],
  [/"constraints": ?\{"0":\["Gold"\]\}/, 'constraints'],
  [/"links": ?\[\[0,1,"s"\]\]/, 'links'],
  [/"document": ?"doc-1"/, 'document'],
  [/"score": ?-0\b/, 'score'],
  [/Gold.*Else/s, 'tags'],
];

const ndjson =
  '{"id":7.0,"tokens":["a","b"],"columns":{"pos":["Npos","Vpos"]},"tags":["Gold","Else"],"meta":{"n":1.0},"ner_tags":[1,0]' +
  ',"weight":0.125,"constraints":{"0":["Gold"]},"links":[[0,1,"s"]],"document":"doc-1","score":-0}\n';

const tool = (more: string) => `{"id":7.0,"text":"a b","meta":{"n":1.0},"note":"\\u0041"${more}}\n`;
const toolFields: Source['fields'] = [
  [/"id": ?7\.0|\b7\b/, 'id'],
  [/"meta": ?\{"n":1\.0\}/, 'meta'],
  [/"note": ?"\\u0041"/, 'note'],
  [/Gold/, 'tags'],
];

const sources: readonly Source[] = [
  { name: 'ndjson', format: 'ndjson', input: ndjson, fields: ndjsonFields },
  {
    name: 'ndjson with a column of tags',
    format: 'ndjson',
    options: { tag: 'pos' },
    input: ndjson,
    fields: ndjsonFields.map(([shown, name]) =>
      name === 'columns.pos' ? ([/Npos.*Vpos/s, 'tags'] as const) : ([shown, name] as const),
    ),
  },
  {
    name: 'ndjson that was tagged',
    format: 'ndjson',
    input:
      '{"id":7.0,"text":"a  b","tokens":["a","b"],"offsets":[[0,1],[3,4]],"sentences":[[0,1],[1,2]],"gold":["Gold","Else"]' +
      ',"tags":["Pred","Pred"],"spans":[{"label":"Span","start":0,"end":1}],"entities":"own","data":1.0,"answer":"x"}\n',
    fields: [
      [/"id": ?"?7\.0|= 7\.0/, 'id'],
      [/a {2}b|= a\n.*= b\n/s, 'text'],
      [/"tokens"|a\n?.*b/s, 'tokens'],
      [/\[\[0,1\],\[3,4\]\]|a {2}b|= a\n.*= b\n/s, 'offsets'],
      [/\[\[0,1\],\[1,2\]\]|a[^b]*\n[^a]*b/, 'sentences'],
      [/Gold/, 'tags'],
      [/Pred/, 'tags'],
      [/"Span"/, 'spans'],
      [/"entities": ?"own"/, 'entities'],
      [/"data": ?1\.0/, 'data'],
      [/"answer": ?"x"/, 'answer'],
    ],
  },
  {
    name: 'ndjson of texts',
    format: 'ndjson',
    input: '{"id":"x","text":"a b","meta":1.0,"weight":2.5}\n',
    fields: [
      [/"id":"x"|= x/, 'id'],
      [/"meta":1\.0/, 'meta'],
      [/"weight":2\.5/, 'weight'],
    ],
  },
  {
    name: 'spans',
    format: 'spans',
    input: tool(',"spans":[{"start":0,"end":1,"label":"Gold","sure":0.50}]'),
    fields: [...toolFields, [/"sure": ?0\.50/, 'spans[].sure']],
  },
  {
    name: 'spans without more',
    format: 'spans',
    input: tool(',"spans":[{"start":0,"end":1,"label":"Gold"}]'),
    fields: toolFields,
  },
  {
    name: 'doccano',
    format: 'doccano',
    input: tool(
      ',"entities":[{"id":8.0,"start_offset":0,"end_offset":1,"label":"Gold"}],"relations":[{"id":1.5,"from_id":8,"to_id":8}]',
    ),
    fields: [...toolFields, [/"id": ?8\.0/, 'entities[].id'], [/"id": ?1\.5/, 'relations']],
  },
  {
    name: 'doccano with a fourth item',
    format: 'doccano',
    input: tool(',"label":[[0,1,"Gold","more"]],"Comments":["c"]'),
    fields: [...toolFields, [/"more"/, 'label[][3]'], [/"Comments":\["c"\]/, 'Comments']],
  },
  {
    name: 'spacy',
    format: 'spacy',
    input: tool(
      ',"spans":{"sc":[{"start":0,"end":1,"label":"Gold","kb_id":"Q1"}]},"cats":{"A":1.0}',
    ),
    fields: [...toolFields, [/"Q1"/, 'spans{}[].kb_id'], [/"cats": ?\{"A":1\.0\}/, 'cats']],
  },
  {
    name: 'prodigy',
    format: 'prodigy',
    input: tool(
      ',"tokens":[{"text":"a","start":0,"end":1,"id":0,"dep":"nsubj"},{"text":"b","start":2,"end":3,"id":1}]' +
        ',"spans":[{"start":0,"end":1,"label":"Gold","pattern":5}],"answer":"accept","_task_hash":-12',
    ),
    fields: [
      ...toolFields,
      [/"nsubj"/, 'tokens[].dep'],
      [/"pattern": ?5/, 'spans[].pattern'],
      [/-12/, '_task_hash'],
    ],
  },
  {
    name: 'label-studio',
    format: 'label-studio',
    // Its annotators differ, which is an error by default.
    options: { annotations: 'first' },
    input:
      '{"id":7.0,"data":{"text":"a b","url":"u"},"meta":{"n":1.0},"note":"\\u0041","predictions":[{"score":0.90}],"annotations":[' +
      '{"id":3.5,"lead_time":1.20,"result":[{"id":"r1","value":{"start":0,"end":1,"labels":["Gold"]}}]},{"id":4.5,"result":[]}]}\n',
    fields: [
      ...toolFields,
      [/"url": ?"u"/, 'data.url'],
      [/0\.90/, 'predictions'],
      [/"id":3\.5/, 'annotations[].id'],
      [/1\.20/, 'annotations[].lead_time'],
      [/"r1"/, 'annotations[].result[].id'],
      [/"id":4\.5/, 'further annotations'],
    ],
  },
  {
    name: 'brat',
    format: 'brat',
    input:
      '{"id":"d","text":"a b","ann":"T1\\tGold 0 1\\ta\\nR1\\tAt Arg1:T1 Arg2:T1\\n#1\\tNote T1\\thm\\n"}\n',
    fields: [
      [/"id":"d"|= d/, 'id'],
      [/Gold/, 'tags'],
      [/R1/, 'relations'],
      [/hm/, 'notes'],
    ],
  },
  {
    name: 'conll',
    format: 'conll',
    options: { columns: ['form', 'pos', '_', 'tag'], comment: '# ' },
    input: '-DOCSTART- -X- -X- O\n\n# remark\na Npos skipped Gold\nb Vpos skipped Else\n\n',
    fields: [
      [/Npos.*Vpos/s, 'columns.pos'],
      [/Gold.*Else/s, 'tags'],
      [/skipped/, 'column 3'],
      [/remark/, 'comments'],
      [/-DOCSTART-|newdoc/, 'start of a document'],
    ],
  },
  {
    name: 'conllu',
    format: 'conllu',
    input:
      '# newdoc\n# sent_id = s-1\n# text = ab\n# weight = 0.125\n# genre = news\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n' +
      `${rows('a\tLem\tGold\tXp\tF=1\t0\troot\t_\tM=1', 'b\t_\tElse\t_\t_\t1\tdep\t_\t_')}2.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n\n`,
    fields: [
      [/newdoc/, 'start of a document'],
      [/s-1/, 'id'],
      [/"text":"ab"|= ab|^ab$/m, 'text'],
      [/0\.125/, 'weight'],
      [/news/, '# genre'],
      [/1-2|"words"/, 'words'],
      [/2\.1/, 'empty nodes'],
      [/Lem/, 'columns.lemma'],
      [/Gold.*Else/s, 'tags'],
      [/Xp/, 'columns.xpos'],
      [/F=1/, 'columns.feats'],
      [/root/, 'columns.deprel'],
      [/M=1/, 'columns.misc'],
    ],
  },
  {
    name: 'crfsuite',
    format: 'crfsuite',
    options: { attributes: { form: 'w[0]', pos: 'pos[0]', size: 'size' } },
    input:
      'Gold\tw[0]=a\tpos[0]=Npos:0.5\tsize:2.75\tlen=2:0.5\tbias\tw[1]=b\t__BOS__\nElse\tw[0]=b\tpos[0]=Vpos\tw[-1]=z\tpos[0]=Twice\n\n',
    fields: [
      [/Gold.*Else/s, 'tags'],
      [/Npos/, 'columns.pos'],
      [/2\.75/, 'columns.size'],
      [/Npos:0\.5/, 'pos[0] (weight)'],
      [/len/, 'len'],
      [/bias/, 'bias'],
      [/w\[-1\]=z/, 'w[-1]'],
      [/Vpos/, 'pos[0] (repeated)'],
    ],
  },
  {
    name: 'slash',
    format: 'slash',
    input: 'a/Gold b/Else\n',
    fields: [[/Gold.*Else/s, 'tags']],
  },
  {
    name: 'letters',
    format: 'letters',
    options: { columns: ['word', 'phonemes', 'stress', 'class'] },
    input: 'ab\tGE\t01\tverb\n',
    fields: [
      [/G.*E/s, 'tags'],
      [/0.*1/s, 'columns.stress'],
      [/verb/, 'columns.class'],
    ],
  },
  { name: 'text', format: 'text', input: 'a b\n', fields: [[/a.*b/s, 'text']] },
];

const targets: readonly Pick<Source, 'name' | 'format' | 'options'>[] = [
  { name: 'ndjson', format: 'ndjson' },
  { name: 'ndjson with a column of tags', format: 'ndjson', options: { tag: 'pos' } },
  ...['spans', 'doccano', 'spacy', 'prodigy', 'label-studio', 'brat'].map(name => ({
    name,
    format: name,
  })),
  { name: 'conll', format: 'conll', options: { columns: ['form', 'tag'] } },
  { name: 'conll without tags', format: 'conll', options: { columns: ['form', 'pos'] } },
  { name: 'conllu', format: 'conllu' },
  { name: 'conllu by xpos', format: 'conllu', options: { tag: 'xpos' } },
  { name: 'crfsuite', format: 'crfsuite' },
  { name: 'slash', format: 'slash' },
  { name: 'letters', format: 'letters', options: { columns: ['word', 'phonemes', 'class'] } },
  { name: 'text', format: 'text' },
];

async function converted(from: Source, to: (typeof targets)[number]) {
  const stdin = new PassThrough();
  stdin.end(from.input);
  const stdout = new PassThrough();
  const all = stdout.toArray();
  const deadLetters = new DeadLetters({ policy: 'skip' });
  const dropped: Dropped[] = [];
  const replaced: string[] = [];
  const { records } = await convert({
    ...{ files: ['-'], stdin, deadLetters },
    from: codecOf({ name: from.format, options: from.options ?? {} }),
    to: codecOf({ name: to.format, options: to.options ?? {} }),
    output: await openOutput('-', { stdout }),
    onDropped: one => dropped.push(one),
    onReplaced: ({ value }) => replaced.push(value),
  });
  stdout.end();
  const output = Buffer.concat(await all).toString();
  return { records, output, dropped, replaced, bad: deadLetters.counts };
}

describe.each(sources)('of a record of $name', from => {
  it.each(targets)('each field is in $name, or is named', async to => {
    const { records, output, dropped, bad } = await converted(from, to);
    // Letters hold tags of one letter; a record that cannot be held is rejected, and so named too.
    if (to.format === 'letters' && records === 0) {
      expect(bad).toEqual({ 'wrong-shape': 1 });
      return;
    }
    expect([records, bad]).toEqual([1, {}]);
    const names = dropped.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(dropped.every(({ position }) => position?.line !== undefined)).toBe(true);
    // Labels of a text are its spans until it has tokens; beside a column of tags, tags are a column.
    const isNamed = (name: string) =>
      names.includes(name) ||
      (name === 'tags' && ['spans', 'columns.tags'].some(other => names.includes(other)));
    const lost = from.fields.filter(([shown, name]) => !shown.test(output) && !isNamed(name));
    expect({ lost: lost.map(([, name]) => name), names, output }).toMatchObject({ lost: [] });
    // Records of equal formats are copied, and what is not lost is not called so.
    if (from.format === to.format && from.options === to.options) {
      const items = output.replace(/^\[\n|\]\n$/g, '');
      expect([items.trim(), names]).toEqual([from.input.trim(), []]);
    }
  });
});

describe('what is written reads as it was', () => {
  it.each([
    ['a token that marks the start of documents', '-DOCSTART-', {}],
    ['a token that begins as comments do', '#x', { comment: '#' }],
    ['the same in quotes', '#x', { comment: '#', separator: 'comma' }],
  ])('%s is replaced and counted in conll', async (_, token, more) => {
    const from = {
      ...{ name: 'ndjson', format: 'ndjson', fields: [] },
      input: `${JSON.stringify({ tokens: ['a', token, 'b'], tags: ['X', 'Y', 'Z'] })}\n`,
    };
    const options = { columns: ['form', 'tag'], ...more };
    const { output, replaced } = await converted(from, { name: 'conll', format: 'conll', options });
    expect(replaced).toEqual([token]);
    const back = { name: 'conll', format: 'conll', options, input: output, fields: [] };
    const again = await converted(back, { name: 'ndjson', format: 'ndjson' });
    expect(JSON.parse(again.output).tokens).toEqual(['a', `_${token}`, 'b']);
  });

  it('columns of letters that hold for the whole word count where they differ', async () => {
    const from = {
      ...{ name: 'ndjson', format: 'ndjson', fields: [] },
      input: '{"tokens":["a","b"],"columns":{"class":["verb","noun"]}}\n',
    };
    const options = { columns: ['word', 'class'] };
    const { output, replaced } = await converted(from, {
      ...{ name: 'letters', format: 'letters', options },
    });
    expect([output, replaced]).toEqual(['ab\tverb\n', ['verb noun']]);
  });
});
