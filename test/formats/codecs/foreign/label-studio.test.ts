import { describe, expect, it } from 'vitest';
import { foreignCodec } from '../../../../src/formats/codecs/foreign/foreign-codec.js';
import { doccano, spansFormat } from '../../../../src/formats/codecs/foreign/foreign-formats.js';
import { labelStudio } from '../../../../src/formats/codecs/foreign/label-studio.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { readAll } from '../../../runtime/io/sources/read-all.js';

type Options = Parameters<typeof foreignCodec>[1];

async function read(record: object, options: Options = {}, format = labelStudio) {
  const { documents, bad, blanks } = await readAll(
    foreignCodec(format, options),
    `${JSON.stringify(record)}\n`,
  );
  const found = documents.map(({ id, text, spans }) => ({
    id,
    text,
    spans: spans?.map(({ start, end, label }) => `${label} ${text!.slice(start, end)}`),
  }));
  return { found, documents, blanks, problem: bad[0]?.error.message };
}

const task = (data: object, ...results: object[]) => ({
  id: 7,
  data,
  annotations: [{ id: 1, result: results }],
});

describe('regions of Label Studio', () => {
  const html = '<p>Ann &amp; <b>Ben</b><!-- > --> flew</p>\n<p>to 1 < 2 🏝 Oslo&#46;</p>';
  const shown = 'Ann & Ben flew\nto 1 < 2 🏝 Oslo.';
  const inHtml = (word: string, more: object = {}) => {
    const start = shown.indexOf(word);
    const globalOffsets = { start, end: start + word.length };
    const path = { start: '/p[1]/text()[1]', end: '/p[1]/text()[1]', startOffset: 0, endOffset: 3 };
    return {
      ...{ id: word, from_name: 'ner', to_name: 'page', type: 'hypertextlabels' },
      value: { ...path, globalOffsets, text: word, hypertextlabels: ['X'], ...more },
    };
  };

  it('are read in HTML, at their places in the text that it shows', async () => {
    for (const data of [{ text: html }, { html }]) {
      const { found } = await read(task(data, inHtml('Ben'), inHtml('Oslo')));
      expect(found).toEqual([{ id: '7', text: shown, spans: ['X Ben', 'X Oslo'] }]);
    }
    const moved = await read(task({ html }, inHtml('Ben', { text: 'Bob' })));
    expect(moved.problem).toContain('is "Ben", but its text is "Bob"');
    const { globalOffsets, ...path } = inHtml('Ann').value;
    const old = await read(task({ html }, { value: path }));
    expect(old.problem).toContain('has no globalOffsets');
    const plain = await read(task({ html: 'Ann flew' }, { value: path }));
    expect(plain.found[0]!.spans).toEqual(['X Ann']);
  });

  it('are read in paragraphs', async () => {
    const talk = [
      { author: 'A', text: '😀 Hello, Ann.' },
      { author: 'B', text: 'Ben is in New' },
      { author: 'B', text: 'York.' },
    ];
    const region = (
      start: string,
      startOffset: number,
      end: string,
      endOffset: number,
      text: string,
    ) => ({
      type: 'paragraphlabels',
      value: { start, end, startOffset, endOffset, text, paragraphlabels: ['X'] },
    });
    const given = task(
      { dialogue: talk, title: 'A talk' },
      region('0', 10, '0', 13, 'Ann'),
      region('1', 10, '2', 4, 'New\nYork'),
    );
    const { found } = await read(given);
    expect(found[0]).toMatchObject({
      text: '😀 Hello, Ann.\nBen is in New\nYork.',
      spans: ['X Ann', 'X New\nYork'],
    });
    const wrong = await read(task({ talk }, region('1', 0, '1', 3, 'Ann')));
    expect(wrong.problem).toContain('is "Ben", but its text is "Ann"');
  });

  it('of a taxonomy are labelled with its path', async () => {
    const value = { start: 0, end: 3, text: 'Ann', taxonomy: [['Being', 'Person']] };
    expect((await read(task({ text: 'Ann flew' }, { value }))).found[0]!.spans).toEqual([
      'Being/Person Ann',
    ]);
    const more = task(
      { text: 'Ann flew' },
      { id: 'a', value: { start: 0, end: 3, labels: ['X'] } },
      { id: 'a', value },
    );
    expect((await read(more)).found[0]!.spans).toEqual(['X Ann']);
  });

  it.each([
    ['no label', { value: { start: 0, end: 3, text: 'Ann' } }, 'marks "Ann", without a label'],
    [
      'choices alone',
      { id: 'a', type: 'choices', value: { start: 0, end: 3, text: 'Ann', choices: ['x'] } },
      'marks "Ann" by choices, without a label',
    ],
    [
      'a note alone',
      { id: 'a', type: 'textarea', value: { start: 0, end: 3, text: ['x'] } },
      'marks a piece of text by textarea, without a label',
    ],
    ['two labels', { value: { start: 0, end: 3, labels: ['X', 'Y'] } }, 'give one label'],
    ['no labels', { value: { start: 0, end: 3, labels: [] } }, 'give one label'],
    ['no place', { value: { text: 'Ann', hypertextlabels: ['X'] } }, '0 <= start < end'],
  ])('with %s reject their task', async (_, result, problem) => {
    const { found, problem: said } = await read(task({ text: 'Ann flew' }, result));
    expect(found).toEqual([]);
    expect(said).toContain(problem);
  });

  it('are not results about the text as a whole, relations, pictures, and what is said of regions', async () => {
    const { found } = await read(
      task(
        { text: 'Ann flew' },
        { id: 'a', value: { start: 0, end: 3, labels: ['X'] } },
        { id: 'a', type: 'choices', value: { start: 0, end: 3, text: 'Ann', choices: ['x'] } },
        { id: 'a', type: 'textarea', value: { start: 0, end: 3, text: ['note'] } },
        { type: 'choices', value: { choices: ['x'] } },
        { type: 'taxonomy', value: { taxonomy: [['a', 'b']] } },
        { type: 'textarea', value: { text: ['note'] } },
        { type: 'rectanglelabels', value: { x: 1, y: 2, rectanglelabels: ['Face'] } },
        { type: 'relation', from_id: 'a', to_id: 'a', labels: ['self'] },
      ),
    );
    expect(found[0]!.spans).toEqual(['X Ann']);
  });

  it('are read in the short export under any name', async () => {
    const region = { start: 0, end: 3, text: 'Ann', labels: ['X'] };
    for (const more of [{ label: [region] }, { ner: [region], mood: 'good' }]) {
      expect((await read({ id: 1, text: 'Ann flew', ...more })).found[0]!.spans).toEqual(['X Ann']);
    }
    expect((await read({ text: 'Ann flew', annotation_id: 4 })).found[0]!.spans).toEqual([]);
    expect((await read({ text: 'Ann flew' })).found[0]!.spans).toBeUndefined();
  });

  it('are not named as left out, whatever their name in the short export', async () => {
    const region = { start: 0, end: 3, text: 'Ann', labels: ['X'] };
    for (const name of ['label', 'ner']) {
      const given = { id: 1, text: 'Ann flew', [name]: [{ ...region, note: 1 }], mood: 'good' };
      const { documents } = await read(given);
      expect(foreignCodec(labelStudio).unread!(documents[0]!)).toEqual([`${name}[].note`, 'mood']);
    }
    // Nor are they kept beside the spans that are made of them.
    const { documents } = await read({ id: 1, text: 'Ann flew', ner: [region], mood: 'good' });
    expect(foreignCodec(spansFormat).writeDocument(documents[0]!)).toBe(
      '{"id":1,"text":"Ann flew","mood":"good","spans":[{"start":0,"end":3,"label":"X"}]}\n',
    );
  });

  it('are no labels where only a model has made them', async () => {
    const predictions = [{ result: [{ value: { start: 0, end: 3, labels: ['X'] } }] }];
    const { found } = await read({ data: { text: 'Ann flew' }, predictions });
    expect(found[0]!.spans).toBeUndefined();
  });

  it('go back as they were, and new ones as others of their task', async () => {
    const codec = foreignCodec(labelStudio);
    const given = task({ html }, inHtml('Ben'));
    const { documents } = await readAll(codec, `${JSON.stringify(given)}\n`);
    const [document] = documents;
    const origin = codec.originOf!(document!);
    const tokens = ['Ann', '&', 'Ben', 'flew', 'to', '1', '<', '2', '🏝', 'Oslo', '.'];
    const labelled = (tags: string[]) => {
      let at = 0;
      const offsets = tokens.map(token => {
        const start = shown.indexOf(token, at);
        at = start + token.length;
        return [start, at];
      });
      const kept = { id: JSON.parse(origin!.id!), _origin: JSON.parse(origin!.json) };
      return `${JSON.stringify({ ...kept, text: shown, tokens, offsets, tags })}\n`;
    };
    const backOf = async (tags: string[]) => {
      const {
        documents: [back],
      } = await readAll(ndjsonCodec(), labelled(tags));
      return JSON.parse(codec.writeDocument(back!));
    };
    const outside = tokens.map(() => 'O');
    expect(await backOf(outside.with(2, 'B-X'))).toEqual(given);
    const changed = await backOf(outside.with(2, 'B-X').with(9, 'B-LOC'));
    const [old, made] = changed.annotations[0].result;
    expect(old).toEqual(given.annotations[0]!.result[0]);
    expect(made).toMatchObject({ from_name: 'ner', to_name: 'page', type: 'hypertextlabels' });
    expect((await read(changed)).found[0]!.spans).toEqual(['X Ben', 'LOC Oslo']);
  });
});

describe('annotations of several people', () => {
  const region = (start: number, end: number, label: string) => ({
    value: { start, end, labels: [label] },
  });
  const [ann, oslo, other] = [region(0, 3, 'PER'), region(12, 16, 'LOC'), region(0, 3, 'ORG')];
  const by = (user: number, ...result: object[]) => ({ id: 10 + user, completed_by: user, result });
  const of = (...annotations: object[]) => ({
    id: 7,
    data: { text: 'Ann flew to Oslo' },
    annotations,
  });
  const spansOf = async (record: object, annotations?: 'first' | 'each' | 'majority') =>
    (await read(record, { annotations })).found.map(({ spans }) => spans);

  it('have to agree, unless the source says what to do', async () => {
    expect(await spansOf(of(by(1, ann, oslo), by(2, oslo, ann)))).toEqual([
      ['PER Ann', 'LOC Oslo'],
    ]);
    const disputed = of(by(1, ann, oslo), by(2, ann), by(3, ann, other));
    const { problem, found } = await read(disputed);
    expect(found).toEqual([]);
    expect(problem).toContain(
      '3 annotations disagree: annotations[0] by 1 has LOC at "Oslo", annotations[1] by 2 does not',
    );
    expect(await spansOf(disputed, 'first')).toEqual([['PER Ann', 'LOC Oslo']]);
    expect(await spansOf(disputed, 'majority')).toEqual([['PER Ann']]);
    const { found: each } = await read(disputed, { annotations: 'each' });
    expect(each).toMatchObject([
      { id: '7/11', spans: ['PER Ann', 'LOC Oslo'] },
      { id: '7/12', spans: ['PER Ann'] },
      { id: '7/13', spans: ['PER Ann', 'ORG Ann'] },
    ]);
  });

  it('do not count where they were cancelled or skipped, and ground truth counts before others', async () => {
    const truth = { ...by(2, oslo), ground_truth: true };
    expect(await spansOf(of(by(1, ann), truth))).toEqual([['LOC Oslo']]);
    expect(await spansOf(of(by(1, ann), { ...truth, was_cancelled: true }))).toEqual([['PER Ann']]);
    expect(await spansOf(of({ ...by(1, ann), skipped: true }, by(2, oslo)))).toEqual([
      ['LOC Oslo'],
    ]);
    const { found, blanks } = await read(of({ ...by(1, ann), was_cancelled: true }));
    expect([found, blanks]).toEqual([[], 1]);
    const { annotations, ...older } = of();
    expect(await spansOf({ ...older, completions: [by(1, ann)] })).toEqual([['PER Ann']]);
    const aside = await read(of({ ...by(1), was_cancelled: true }), { annotations: 'each' });
    expect([aside.found, aside.blanks]).toEqual([[], 1]);
  });

  it('are written as records of their own where each is one', async () => {
    const record = of(by(1, ann), by(2, oslo));
    const options = { annotations: 'each' } as const;
    const codec = foreignCodec(labelStudio, options);
    const { documents } = await read(record, options);
    const written = documents.map(document => codec.writeDocument(document)).join('');
    const { documents: again, bad } = await readAll(foreignCodec(labelStudio), written);
    expect(bad).toEqual([]);
    expect(again.map(({ id, spans }) => [id, spans])).toEqual(
      documents.map(({ id, spans }) => [id, spans]),
    );
  });

  it('are told apart in doccano by their user', async () => {
    const at = (user: number, start_offset: number, end_offset: number, label: string) => ({
      ...{ user, start_offset, end_offset, label },
    });
    const record = (...annotations: object[]) => ({ id: 1, text: 'Ann flew', annotations });
    const same = record(at(1, 0, 3, 'PER'), at(2, 0, 3, 'PER'));
    expect((await read(same, {}, doccano)).found[0]!.spans).toEqual(['PER Ann']);
    const differs = record(at(1, 0, 3, 'PER'), at(2, 0, 3, 'ORG'));
    expect((await read(differs, {}, doccano)).problem).toContain('2 annotations disagree');
    const { found } = await read(differs, { annotations: 'each' }, doccano);
    expect(found).toMatchObject([
      { id: '1/1', spans: ['PER Ann'] },
      { id: '1/2', spans: ['ORG Ann'] },
    ]);
  });
});
