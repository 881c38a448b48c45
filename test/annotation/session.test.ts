import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SpanRules } from '../../src/annotation/learning/span-rules.js';
import type { AnnotationSession } from '../../src/annotation/session/session.js';
import { strategies, strategyOf } from '../../src/annotation/strategies/strategies.js';
import { spansTask, tagsTask } from '../../src/annotation/task/annotation-task.js';
import { Tagger } from '../../src/engine/models/tagger.js';
import { readRecord } from '../../src/formats/codecs/ndjson/read-record.js';
import { train } from '../../src/runtime/pipeline/training/train.js';
import { workspace } from '../cli/commands/workspace.js';
import { acceptGold, goldTags, openSample, sampleQueue, sampleText } from './sample-session.js';

const folder = workspace();
const queue = sampleQueue(folder, 200);
let files = 0;
const out = () => {
  files += 1;
  return join(folder, `out${files}.ndjson`);
};

const lines = (file: string) => readFileSync(file, 'utf8').trim().split('\n');

/** Records that are proposed wrong. */
function wrongIn(session: AnnotationSession, records: readonly number[]): number {
  const [one] = session.annotators;
  return records.filter(record => {
    const { tokens } = session.show(one!, record);
    const { tags } = session.propose(
      record,
      tokens.map(() => null),
    );
    return tags.join() !== goldTags(tokens).join();
  }).length;
}

describe('a session', () => {
  it.each(strategies.map(({ name }) => name))(
    'learns from answers, asked by the strategy %s',
    { tags: 'slow' },
    async name => {
      const strategy = strategyOf(name);
      const session = await openSample(queue, out(), { strategy });
      const [annotator] = session.annotators;
      const seen = new Set<number>();
      for (let i = 0; i < 40; i += 1) {
        const shown = session.next(annotator!)!;
        expect(seen.has(shown.record)).toBe(false);
        seen.add(shown.record);
        acceptGold(session, shown);
      }
      expect(session.progress(annotator!)).toMatchObject({
        answered: 40,
        accepted: 40,
        total: 200,
      });
      const tagger = Tagger.fromBytes(session.model.bytes());
      const wrong = Array.from({ length: 200 }, (_, i) => sampleText(i).split(' ')).filter(
        tokens => tagger.tag(tokens).join() !== goldTags(tokens).join(),
      );
      expect(wrong.length).toBeLessThan(20);
      await session.close();
    },
  );

  it('decodes the rest of a record anew under what is fixed', { tags: 'slow' }, async () => {
    const session = await openSample(queue, out());
    const [annotator] = session.annotators;
    for (let i = 0; i < 30; i += 1) acceptGold(session, session.next(annotator!)!);
    const record = 6;
    const { tokens } = session.show(annotator!, record);
    const fixed = tokens.map((_, t) => (t === 0 ? 'B-LOC' : null));
    const { tags } = session.propose(record, fixed);
    expect(tags[0]).toBe('B-LOC');
    // The model is sure of B-PER I-PER; I-PER cannot follow.
    expect(tokens[1]).toBe('Berg');
    expect(tags[1]).not.toBe('I-LOC');
    expect(tags[1]).not.toBe('I-PER');
    expect(() => session.propose(record, ['B-LOC'])).toThrow(/1 tags for/);
    expect(() =>
      session.propose(
        record,
        tokens.map(() => 'I-PER'),
      ),
    ).toThrow(/is not allowed at token 0/);
    const { why, alternatives } = session.explain(
      record,
      0,
      tokens.map(() => null),
    );
    expect(why.tag).toBe('B-PER');
    expect(why.contributions.length).toBeGreaterThan(0);
    expect(alternatives[0]!.probability).toBeGreaterThan(alternatives[1]!.probability);
    await session.close();
  });

  it('asks the same records for the same seed and answers', { tags: 'slow' }, async () => {
    const orders = [];
    for (let run = 0; run < 2; run += 1) {
      const session = await openSample(queue, out());
      const order: number[] = [];
      for (let i = 0; i < 25; i += 1) {
        const shown = session.next(session.annotators[0]!)!;
        order.push(shown.record);
        acceptGold(session, shown);
      }
      orders.push(order);
      await session.close();
    }
    expect(orders[0]).toEqual(orders[1]);
  });

  it('keeps tokens open that were not asked', async () => {
    const file = out();
    const session = await openSample(queue, file, { strategy: strategyOf('spans') });
    const [annotator] = session.annotators;
    for (let i = 0; i < 30; i += 1) acceptGold(session, session.next(annotator!)!);
    const last = session.next(annotator!)!;
    expect(last.asked!.length).toBeLessThan(last.tokens.length);
    acceptGold(session, last);
    const { tags, _annotation } = JSON.parse(lines(file).at(-1)!);
    const known = tags.flatMap((tag: string | null, t: number) => (tag === null ? [] : [t]));
    expect(known).toEqual(last.asked);
    expect(_annotation.asked).toEqual(last.asked);
    await session.close();
  });

  it('resumes where it was, with the model learned again', { tags: 'slow' }, async () => {
    const file = out();
    const first = await openSample(queue, file);
    for (let i = 0; i < 30; i += 1) acceptGold(first, first.next(first.annotators[0]!)!);
    const before = first.progress(first.annotators[0]!);
    await first.close();
    const second = await openSample(queue, file, { retrain: true });
    const [annotator] = second.annotators;
    const { model, ...rest } = second.progress(annotator!);
    expect(rest).toEqual({ ...before, model: undefined });
    expect(model).toBe('1.0');
    const next = second.next(annotator!)!;
    expect(annotator!.answers.has(next.record)).toBe(false);
    expect(next.tags.filter((tag, t) => tag !== goldTags(next.tokens)[t]).length).toBeLessThan(3);
    await second.close();
  });

  it.each([
    ['all is learned anew', {}],
    ['the model is trained from scratch', { retrain: true }],
  ])(
    'forgets what is undone, or answered in another way: %s',
    { tags: 'slow' },
    async (_, more) => {
      const file = out();
      const session = await openSample(queue, file, {
        strategy: strategyOf('sequential'),
        ...more,
      });
      const [one] = session.annotators;
      for (let i = 0; i < 30; i += 1) acceptGold(session, session.next(one!)!);
      // A record without places: all of it is wrong, so often that it stands in the weights.
      const wrong = session.next(one!)!;
      const { record, tokens } = wrong;
      const tags = tokens.map(() => 'B-ORG');
      session.answer(one!, { record, answer: 'accept', tags, corrections: 1 });
      const { version } = session.model;
      session.undo(one!);
      const changed = () => session.model.version.split('.')[0] !== version.split('.')[0];
      if ('retrain' in more) acceptGold(session, session.show(one!, 31));
      await expect.poll(changed, { timeout: 60_000 }).toBe(true);
      const kept = Array.from({ length: 30 }, (__, i) => i);
      await expect.poll(() => wrongIn(session, kept), { timeout: 60_000 }).toBeLessThan(3);
      expect(session.show(one!, record).tags).toEqual(goldTags(tokens));
      await session.close();
    },
  );

  it('is refused with another queue', async () => {
    const file = out();
    const session = await openSample(queue, file);
    acceptGold(session, session.next(session.annotators[0]!)!);
    await session.close();
    const other = join(folder, 'other.txt');
    writeFileSync(other, 'a\n');
    await expect(openSample(other, file)).rejects.toThrow(/differs from the answered record/);
    const again = await openSample(queue, file);
    await again.close();
  });

  it('writes a file that train reads as it is: accepted records, and only these', async () => {
    const file = out();
    const session = await openSample(queue, file);
    const [annotator] = session.annotators;
    for (const answer of ['reject', 'skip', 'flag'] as const) {
      const { record } = session.next(annotator!)!;
      session.answer(annotator!, { record, answer, corrections: 0, note: 'why' });
    }
    for (let i = 0; i < 25; i += 1) acceptGold(session, session.next(annotator!)!);
    expect(session.progress(annotator!)).toMatchObject({ answered: 28, accepted: 25, flagged: 1 });
    const undone = session.undo(annotator!)!;
    expect(undone.tags).toEqual(goldTags(undone.tokens));
    expect(session.progress(annotator!).accepted).toBe(24);
    await session.close();
    const corpus = lines(file).map(line => readRecord(line));
    expect(corpus.filter(({ tags }) => tags !== undefined)).toHaveLength(24);
    expect(lines(file)[5]).toMatch(/^\{"id":"r\d+","text":"[^"]+","size":1\.5,"tokens":/);
    const { tagger } = await train({ corpus, features: { preset: 'ner' } });
    const tokens = sampleText(0).split(' ');
    expect(tagger.tag(tokens)).toEqual(goldTags(tokens));
  });

  it('proposes by lists of names and regular expressions at first', async () => {
    const texts = join(folder, 'rules.txt');
    writeFileSync(texts, 'Call 555-1234 in New York now .\n');
    const rules = new SpanRules({
      gazetteers: [{ label: 'LOC', text: 'York\nNew York\n' }],
      patterns: [{ label: 'ORG', pattern: '\\d{3}-\\d{4}' }],
    });
    const session = await openSample(texts, out(), { rules });
    const { tokens, tags } = session.next(session.annotators[0]!)!;
    const found = tokens.map((token, t) => `${token}/${tags[t]}`).join(' ');
    expect(found).toMatch(/^Call\/O 555\S*\/B-ORG .*in\/O New\/B-LOC York\/I-LOC now\/O/);
    expect(
      () => new SpanRules({ gazetteers: [], patterns: [{ label: 'ORG', pattern: '(' }] }),
    ).toThrow(/is not a regular expression/);
    await session.close();
  });

  it('uses parts of speech where the records have them, which all have to then', async () => {
    const parts = join(folder, 'parts.ndjson');
    const one = { tokens: ['it', 'rains'], columns: { pos: ['PRP', 'VBZ'] } };
    writeFileSync(
      parts,
      [one, { tokens: ['a'] }, one].map(each => JSON.stringify(each)).join('\n'),
    );
    const notices: string[] = [];
    const session = await openSample(parts, out(), {
      ...{ task: spansTask(['NP']), preset: 'chunk', strategy: strategyOf('sequential') },
      onNotice: text => notices.push(text),
    });
    const [annotator] = session.annotators;
    expect(session.model.spec.columns).toEqual(['form', 'pos']);
    const asked = [];
    for (let shown = session.next(annotator!); shown; shown = session.next(annotator!)) {
      const { record } = shown;
      asked.push(record);
      session.answer(annotator!, { record, answer: 'accept', tags: ['B-NP', 'O'], corrections: 0 });
    }
    expect(asked).toEqual([0, 2]);
    expect(notices).toEqual([expect.stringMatching(/record 2: it lacks the column pos/)]);
    await session.close();
  });

  it('labels tokens, starts from a model, and passes over records that cannot be read', async () => {
    const corpus = [{ tokens: ['it', 'rains'], tags: ['PRON', 'VERB'] }];
    const { bytes } = await train({ corpus, features: { preset: 'pos' } });
    const texts = join(folder, 'words.ndjson');
    writeFileSync(texts, '{"tokens":["it","rains"]}\n{"tokens":[]}\nnonsense\n');
    const notices: string[] = [];
    const task = tagsTask(['PRON', 'VERB']);
    const session = await openSample(texts, out(), {
      ...{ task, model: bytes, strategy: strategyOf('sequential') },
      onNotice: text => notices.push(text),
    });
    const [annotator] = session.annotators;
    const shown = session.next(annotator!)!;
    expect(shown.tags).toEqual(['PRON', 'VERB']);
    session.answer(annotator!, { record: 0, answer: 'accept', tags: shown.tags, corrections: 0 });
    expect(session.next(annotator!)).toBeUndefined();
    expect(session.progress(annotator!).unreadable).toBe(2);
    expect(notices).toHaveLength(2);
    expect(notices[1]).toMatch(/record 3: not valid JSON/);
    await session.close();
  });

  it.each(['two people', 'two tabs', 'a restart', 'a restart without the log'])(
    'keeps the tokens that the page showed as asked: %s',
    { tags: 'slow' },
    async name => {
      const [file, spans] = [out(), strategyOf('spans')];
      const options = { strategy: spans, annotators: ['anna', 'ben'], overlap: 1 };
      let session = await openSample(queue, file, options);
      const anna = () => session.annotator('anna');
      const asked = [];
      // Asked by a model that knows nothing, shown again by one that knows more, then answered.
      const shown = session.show(anna(), 150);
      for (let i = 0; i < 30; i += 1) {
        const { record, tokens, showing } = session.next(session.annotator('ben'))!;
        const tags = goldTags(tokens);
        const given = { record, showing, answer: 'accept', tags, corrections: 0 } as const;
        session.answer(session.annotator('ben'), given);
      }
      const later = session.show(session.annotator('ben'), 150);
      expect(later.asked).not.toEqual(shown.asked);
      if (name === 'two tabs') session.show(anna(), 150);
      if (name.startsWith('a restart')) {
        await session.close();
        const log = join(folder, `.${basename(anna().answers.path)}.shown`);
        if (name.endsWith('log')) rmSync(log);
        session = await openSample(queue, file, options);
      }
      const tags = goldTags(shown.tokens);
      const given = { record: 150, answer: 'accept', tags, corrections: 0 } as const;
      const full = { ...given, showing: shown.showing, asked: shown.asked };
      expect(() => session.answer(anna(), { ...full, showing: '00-1' })).toThrow(
        /a different record/,
      );
      if (!name.endsWith('log')) {
        for (const other of [[], [0, 1, 2, 3]]) {
          expect(() => session.answer(anna(), { ...full, asked: other })).toThrow(/other tokens/);
        }
      }
      session.answer(anna(), full);
      // A client that does not say what it showed answers what it was shown last.
      session.answer(session.annotator('ben'), given);
      for (const [one, was] of [
        ['anna', shown],
        ['ben', later],
      ] as const) {
        const answer = session.annotator(one).answers.of(150)!;
        expect(answer.note.asked).toEqual(was.asked);
        expect(answer.tags!.flatMap((tag, t) => (tag === null ? [] : [t]))).toEqual(was.asked);
        if (!name.endsWith('log')) expect(answer.note.model).toBe(was.model);
        asked.push(answer.note.asked);
      }
      expect(asked[0]).not.toEqual(asked[1]);
      await session.close();
    },
  );

  it('keeps what was answered before when a record is answered again by spans', {
    tags: 'slow',
  }, async () => {
    const session = await openSample(queue, out(), { strategy: strategyOf('spans') });
    const [one] = session.annotators;
    const first = session.next(one!)!;
    const tags = goldTags(first.tokens);
    const given = { record: first.record, answer: 'accept', tags, corrections: 0 } as const;
    session.answer(one!, { ...given, showing: first.showing, asked: first.asked });
    for (let i = 0; i < 30; i += 1) acceptGold(session, session.next(one!)!);
    const again = session.show(one!, first.record);
    expect(again.asked).toEqual(expect.arrayContaining([...first.asked!]));
    session.answer(one!, { ...given, showing: again.showing, asked: again.asked });
    const before = session.undo(one!)!;
    expect(before.asked).toEqual(expect.arrayContaining([...first.asked!]));
    await session.close();
  });

  it('does not apply an answer that comes again after a newer one', async () => {
    const file = out();
    let session = await openSample(queue, file);
    const { record, tokens, showing } = session.next(session.annotators[0]!)!;
    const answer = (key: string, tag: string) => {
      const tags = tokens.map(() => tag);
      const given = { record, showing, answer: 'accept', tags, corrections: 0, key } as const;
      return session.answer(session.annotators[0]!, given);
    };
    expect([answer('a', 'B-PER'), answer('b', 'B-LOC'), answer('c', 'O')]).toEqual([
      true,
      true,
      true,
    ]);
    for (let start = 0; start < 2; start += 1) {
      expect([answer('a', 'B-PER'), answer('b', 'B-LOC'), answer('c', 'B-ORG')]).toEqual([
        false,
        false,
        false,
      ]);
      expect(session.annotators[0]!.answers.of(record)!.tags).toEqual(tokens.map(() => 'O'));
      await session.close();
      session = await openSample(queue, file);
    }
    await session.close();
  });
});
