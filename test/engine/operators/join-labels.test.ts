import { from, lastValueFrom, map, type Observable, of, Subject, tap, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../src/engine/core/sentence/tagged-document.js';
import type { State } from '../../../src/engine/core/training/state.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { ProgressiveScores } from '../../../src/engine/metrics/scores/progressive-scores.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import { WaitingRecords } from '../../../src/engine/models/learning/waiting-records.js';
import { assemble } from '../../../src/engine/operators/assemble.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { evaluateProgressive } from '../../../src/engine/operators/evaluate-progressive.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { joinLabels, rememberTags } from '../../../src/engine/operators/join-labels.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { tag } from '../../../src/engine/operators/tag.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { CountingDelivery } from './counting-delivery.js';

const collect = (documents: Observable<Document>) => lastValueFrom(documents.pipe(toArray()));

/** Joins, with records that are tagged at once. */
const joinTagged = (waiting: WaitingRecords) => (source: Observable<Document>) =>
  source.pipe(
    joinLabels(waiting),
    tap(({ id, tokens, late }) => {
      if (late === undefined) waiting.note(id!, tokens!, true);
    }),
  );

/** As `joinTagged`, for items that need no tokens. */
const joinTaggedOrText = (waiting: WaitingRecords) => (source: Observable<Document>) =>
  source.pipe(
    joinLabels(waiting),
    tap(({ id, text = '', tokens = text.split(' '), late }) => {
      if (late === undefined) waiting.note(id!, tokens, true);
    }),
  );

/** A record with its true tags: the last letter of each word, and two sentences. */
function recordOf(i: number, random: Random): Document & { readonly tags: string[] } {
  const tokens = Array.from({ length: 2 + random.below(4) }, () => `w${random.below(30)}`);
  const tags = tokens.map(token => (Number(token.slice(1)) % 2 === 0 ? 'A' : 'B'));
  const sentences = [
    [0, 1],
    [1, tokens.length],
  ] as const;
  return { id: `${i}`, tokens, sentences, tags };
}

/** A whole loop: what is written, scores, and the weights. */
function loop(waiting: WaitingRecords, size: number) {
  const model = createModel({ templates: 'U0:%x[0,0]\nB' });
  const options = { eta0: 0.2, l2: 0.5, schedule: 'constant' } as const;
  const learner = createOnlineLearner(model, {
    loss: logLoss,
    optimizer: sgd,
    options,
    corpusSize: 50,
  });
  const progress = new ProgressiveScores({ spanScheme: false });
  // So that the labels are known.
  const step = (tags: string[]) =>
    lastValueFrom(of({ tokens: tags, tags }).pipe(tokenize(), featurize(model)));
  const learn = (documents: Observable<Document>): Observable<TaggedDocument> =>
    documents
      .pipe(
        joinLabels(waiting),
        tokenize(),
        featurize(model),
        batch({ sentences: size }),
        contribute(learner, { predict: true }),
        optimize(learner),
      )
      .pipe(
        rememberTags(model, waiting),
        evaluateProgressive(model, progress),
        tag(model),
        assemble(),
      );
  return { model, learner, progress, learn, prepare: () => step(['A', 'B']) };
}

describe('joinLabels', () => {
  it.each([1, 4])(
    'scores labels by the tags that were given, and learns as from labelled records: batches of %i',
    async size => {
      const random = new Random(2);
      const delay = 5;
      const records = Array.from({ length: 60 }, (_, i) => recordOf(i, random));
      const stream: Document[] = [];
      for (const [i, { tags: _, ...record }] of records.entries()) {
        stream.push(record);
        const { id, tags } = records[i - delay] ?? {};
        if (tags !== undefined) stream.push({ id: id!, tags });
      }
      const waiting = new WaitingRecords();
      const late = loop(waiting, size);
      await late.prepare();
      const written = await lastValueFrom(late.learn(from(stream)).pipe(toArray()));
      expect(written.map(({ document }) => document.id)).toEqual(records.map(({ id }) => id));
      // The same labels as records of their own that are labelled, in the same places.
      const at = loop(new WaitingRecords(), size);
      await at.prepare();
      const told = stream.map(each =>
        each.tokens === undefined ? records[Number(each.id)]! : each,
      );
      const out = await lastValueFrom(
        from(told).pipe(
          map(({ id: _, ...each }) => each),
          at.learn,
          toArray(),
        ),
      );
      expect(late.learner.deployedParameters().weights.state.view).toEqual(
        at.learner.deployedParameters().weights.state.view,
      );
      const asWritten = out.filter(({ gold }) => gold === undefined).map(({ tags }) => tags);
      expect(written.map(({ tags }) => tags)).toEqual(asWritten);
      // Scores are those of what was written.
      const oracle = new ProgressiveScores({ spanScheme: false });
      for (const [i, { tags }] of written.slice(0, 55).entries()) {
        oracle.add(records[i]!.tags.slice(0, 1), tags.slice(0, 1));
        oracle.add(records[i]!.tags.slice(1), tags.slice(1));
      }
      expect(late.progress.scores()).toEqual(oracle.scores());
      expect(late.progress.scores()).not.toEqual(at.progress.scores());
      expect(waiting.counts).toEqual({
        joined: 55,
        doubled: 0,
        contradicted: 0,
        contradictions: [],
        unmatched: 0,
        expired: 0,
        waiting: 5,
      });
    },
  );

  it('takes labels of single tokens, and the first label of each', async () => {
    const waiting = new WaitingRecords();
    const out = await collect(
      of<Document[]>(
        { id: '1', tokens: ['a', 'b', 'c'], columns: { pos: ['x', 'y', 'z'] } },
        { id: '1', tagsAt: { 1: 'B-X' } },
        { id: '1', partialTags: [null, 'O', ['O', 'B-X']] },
        { id: '1', partialTags: [null, null, 'O'] },
        { id: '1', tags: ['O', 'O', 'O'], weight: 2 },
        { id: '1', tags: ['O', 'O', 'O'] },
      ).pipe(joinTagged(waiting)),
    );
    expect(
      out
        .slice(1)
        .map(({ tags, partialTags, weight, columns }) => [
          tags ?? partialTags,
          weight,
          columns?.pos,
        ]),
    ).toEqual([
      [[null, 'B-X', null], undefined, ['x', 'y', 'z']],
      [[null, null, ['O', 'B-X']], undefined, ['x', 'y', 'z']],
      [['O', null, null], 2, ['x', 'y', 'z']],
    ]);
    const counts = { joined: 3, doubled: 1, unmatched: 0, expired: 0, waiting: 0 };
    const contradictions = ['1', '1', '1'];
    expect(waiting.counts).toEqual({ ...counts, contradicted: 3, contradictions });
  });

  it('counts labels that contradict earlier ones, also of records that no longer wait', async () => {
    const waiting = new WaitingRecords();
    const tokens = ['a', 'b'];
    await collect(
      of<Document[]>(
        { id: 'early', tags: ['A', 'B'] },
        { id: 'own', tokens, tags: ['A', 'B'] },
        { id: 'early', tokens },
        { id: 'late', tokens, partialTags: ['A', null] },
        { id: 'own', tags: ['A', 'B'] },
        { id: 'own', tagsAt: { 1: 'A' } },
        { id: 'late', tags: ['B', 'B'] },
        { id: 'late', tags: ['A', 'B'] },
        { id: 'early', partialTags: [['A'], ['A', 'C']] },
        { id: 'early', tagsAt: { 999999999: 'A' } },
        { id: 'early', partialTags: [null, 'C'] },
        { id: 'spans', text: 'a b' },
        { id: 'spans', spans: [{ start: 0, end: 1, label: 'A' }] },
        { id: 'spans', spans: [{ start: 0, end: 1, label: 'A' }] },
        { id: 'spans', spans: [] },
      ).pipe(joinTaggedOrText(waiting)),
    );
    const restored = new WaitingRecords();
    restored.restore(waiting.save());
    restored.join({ id: 'early', tags: ['C', 'B'] });
    const counts = { joined: 3, doubled: 5, unmatched: 0, expired: 0, waiting: 0 };
    const contradictions = ['own', 'late', 'early', 'spans'];
    expect(waiting.counts).toEqual({ ...counts, contradicted: 4, contradictions });
    expect(restored.counts.contradictions).toEqual([...contradictions, 'early']);
  });

  it('an item without text, tokens and labels does not displace the record of its id', () => {
    const waiting = new WaitingRecords();
    const documents = of<Document[]>(
      { id: '1', tokens: ['a'] },
      { id: '1' },
      { id: '1', partialTags: [null] },
      { id: '1', tags: ['A'] },
    );
    const out: Document[] = [];
    documents.pipe(joinTaggedOrText(waiting)).subscribe(document => out.push(document));
    expect(out.at(-1)).toMatchObject({ tokens: ['a'], tags: ['A'], late: { tags: ['a'] } });
    expect(waiting.counts).toMatchObject({ joined: 1, doubled: 1, expired: 0, waiting: 0 });
  });

  it('counts, rejects and forgets within its bounds', async () => {
    const deliveries = new Map<string, CountingDelivery>();
    const label = (id: string, name: string): Document => {
      const delivery = new CountingDelivery();
      deliveries.set(name, delivery);
      return { id, tags: ['A'], delivery };
    };
    const record = (id: string): Document => ({ id, tokens: ['a'] });
    const waiting = new WaitingRecords({ keep: 2, early: 2 });
    const out = await collect(
      of(
        ...[record('1'), record('2'), label('3', 'early'), record('3')],
        ...[label('1', 'too late'), label('9', 'never'), label('2', 'in time'), record('4')],
        ...[label('2', 'doubled'), record('5'), label('4', 'short')],
        { ...label('5', 'wrong'), tags: ['A', 'B'] },
        { tags: ['A'], delivery: new CountingDelivery() } as Document,
      ).pipe(joinTagged(waiting)),
    );
    expect(out.filter(({ tags }) => tags).map(({ id }) => id)).toEqual(['3', '2', '4']);
    const counts = { joined: 3, doubled: 1, contradicted: 0, contradictions: [] };
    expect(waiting.counts).toEqual({ ...counts, unmatched: 3, expired: 1, waiting: 1 });
    const rejected = [...deliveries].filter(([, { rejections }]) => rejections.length > 0);
    expect(
      rejected.map(
        ([
          name,
          {
            rejections: [error],
          },
        ]) => [name, error!.code],
      ),
    ).toEqual([
      ['too late', 'unmatched'],
      ['never', 'unmatched'],
      ['wrong', 'length-mismatch'],
    ]);
    expect(deliveries.get('doubled')!.calls).toEqual([1, 1, 0]);
    const aged = new WaitingRecords({ age: 3 });
    await collect(from(['1', '2', '3', '4', '5', '6'].map(record)).pipe(joinLabels(aged)));
    expect(aged.counts).toMatchObject({ waiting: 4, expired: 2 });
    const small = new WaitingRecords({ bytes: 2000 });
    await collect(
      from(Array.from({ length: 50 }, (_, i) => record(`${i}`))).pipe(joinLabels(small)),
    );
    expect(small.bytes).toBeLessThanOrEqual(2000);
    expect(small.counts.waiting).toBeGreaterThan(4);
    expect(small.counts.waiting + small.counts.expired).toBe(50);
  });

  it('takes a record and a label in turn, or what comes when it comes', () => {
    const items = Object.fromEntries(
      ['1', '2', '3'].flatMap(id => [
        [id, { id, tokens: ['a'] }],
        [`abc`[Number(id) - 1]!, { id, tags: ['X'] }],
      ]),
    ) as Record<string, Document>;
    const run = (inTurn: boolean, records: string, labels: string, out: string) => {
      const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
      scheduler.run(({ cold, expectObservable }) => {
        const waiting = new WaitingRecords();
        const [first, second] = [cold(records, items), cold(labels, items)];
        const joined = first.pipe(
          joinLabels(waiting, { labels: second, inTurn }),
          map(document => {
            if (document.late !== undefined) return 'abc'[Number(document.id) - 1];
            waiting.note(document.id!, ['Y'], true);
            return document.id;
          }),
        );
        expectObservable(joined).toBe(out);
      });
    };
    run(true, '(123|)', '------a------b------c|', '1-----(a2)---(b3)---c|');
    run(false, '1--2-|', '-ab-----|', '1a-(2b)-|');
  });

  it('is not held up by labels without records', async () => {
    const count = 3000;
    const records = Array.from({ length: count }, (_, i) => ({ id: `${i}`, tokens: ['a'] }));
    const random = new Random(8);
    // Labels are up to 40 records ahead, and every tenth is of no record.
    const labels = records
      .flatMap(({ id }, i) => [
        { at: i + random.below(80) - 40, id },
        ...(i % 10 === 0 ? [{ at: i, id: `no ${id}` }] : []),
      ])
      .sort((a, b) => a.at - b.at)
      .map(({ id }): Document => ({ id, tags: ['X'] }));
    const waiting = new WaitingRecords({ keep: 1000, early: 10 });
    const rejected: string[] = [];
    const joined = from(records).pipe(
      joinLabels(waiting, {
        ...{ labels: from(labels), inTurn: true },
        onRejected: ({ id }) => rejected.push(id!),
      }),
      tap(({ id, tokens, late }) => {
        if (late === undefined) waiting.note(id!, tokens!, true);
      }),
    );
    const late = (await collect(joined)).filter(each => each.late !== undefined);
    expect(late).toHaveLength(count);
    expect(rejected).toHaveLength(count / 10);
    expect(rejected.every(id => id.startsWith('no'))).toBe(true);
    expect(waiting.counts).toMatchObject({ joined: count, expired: 0, waiting: 0 });
  });

  it('goes on exactly from a checkpoint after any of its documents', { tags: 'slow' }, async () => {
    const random = new Random(9);
    const records: Document[] = Array.from({ length: 40 }, (_, i) => ({
      id: `${i}`,
      tokens: ['a', 'b', 'c'],
    }));
    // Labels of single tokens, several of which wait for the same record.
    const labels: Document[] = records
      .flatMap(({ id }, i) =>
        [0, 1, 2, 2].map(t => ({ at: i + random.below(12) - 9, id: id!, tagsAt: { [t]: 'X' } })),
      )
      .sort((a, b) => a.at - b.at)
      .map(({ id, tagsAt }) => ({ id, tagsAt }));
    const placed = (documents: readonly Document[], after = 0) =>
      from(
        documents
          .slice(after)
          .map((document, i) => ({ ...document, delivery: new CountingDelivery(after + i + 1) })),
      );
    const options = { keep: 100, early: 8 };
    const run = async (waiting: WaitingRecords) => {
      const { records: first, labels: second } = waiting.positions;
      const saved: State[] = [];
      const out: unknown[] = [];
      await lastValueFrom(
        placed(records, first?.line).pipe(
          joinLabels(waiting, {
            ...{ labels: placed(labels, second?.line), inTurn: true },
            onRejected: () => undefined,
          }),
          tap(({ id, late, tokens, partialTags }) => {
            if (late === undefined) waiting.note(id!, tokens!, true);
            out.push([id, late, partialTags]);
            saved.push(structuredClone(waiting.save()));
          }),
        ),
        { defaultValue: undefined },
      );
      return { out, saved, counts: waiting.counts };
    };
    const whole = await run(new WaitingRecords(options));
    expect(whole.counts).toMatchObject({ joined: 120, doubled: 40, waiting: 0 });
    for (const [i, state] of whole.saved.entries()) {
      const waiting = new WaitingRecords(options);
      waiting.restore(state);
      const { out, counts } = await run(waiting);
      expect([i, out]).toEqual([i, whole.out.slice(i + 1)]);
      expect(counts).toEqual(whole.counts);
    }
  });

  it('lets both sources go when its subscriber leaves, and passes errors on', () => {
    const [records, labels] = [new Subject<Document>(), new Subject<Document>()];
    const taken = records.pipe(joinLabels(new WaitingRecords(), { labels })).subscribe();
    expect([records.observed, labels.observed]).toEqual([true, true]);
    taken.unsubscribe();
    expect([records.observed, labels.observed]).toEqual([false, false]);
    const errors: unknown[] = [];
    records
      .pipe(joinLabels(new WaitingRecords(), { labels }))
      .subscribe({ error: error => errors.push(error) });
    labels.error('broken');
    expect([errors, records.observed]).toEqual([['broken'], false]);
  });
});

describe('WaitingRecords', () => {
  it('goes on from its state as if nothing had been', async () => {
    const random = new Random(7);
    const records = Array.from({ length: 300 }, (_, i) => recordOf(i, random));
    const act = (waiting: WaitingRecords, from: number, to: number, chance: Random) => {
      const seen: unknown[] = [];
      for (let i = from; i < to; i += 1) {
        const { tags, ...record } = records[i]!;
        waiting.add(record);
        const tagged = chance.below(10);
        if (tagged > 0) waiting.note(record.id!, tags.slice(0, 1), false);
        if (tagged > 1) waiting.note(record.id!, tags.slice(1), true);
        const other = records[Math.max(0, i - chance.below(40))]!;
        const state = waiting.stateOf(other.id);
        seen.push(state);
        if (state === 'tagged')
          seen.push(waiting.join({ id: other.id!, tagsAt: { [chance.below(2)]: 'A' } }));
        else if (state === 'on its way' || state === 'unknown')
          waiting.hold({ id: other.id!, tags });
        seen.push(waiting.takeReady(other.id!), waiting.takeOverdue());
      }
      return seen;
    };
    const options = { keep: 30, age: 35, early: 4, bytes: 16_000 };
    const waiting = new WaitingRecords(options);
    const [one, other] = [new Random(1), new Random(1)];
    act(waiting, 0, 150, one);
    act(new WaitingRecords(options), 0, 150, other);
    const { json, arrays } = waiting.save();
    const resumed = new WaitingRecords(options);
    resumed.restore({ json: JSON.parse(JSON.stringify(json)), arrays });
    expect(resumed.bytes).toBe(waiting.bytes);
    expect(act(resumed, 150, 300, one)).toEqual(act(waiting, 150, 300, other));
    expect(resumed.save()).toEqual(waiting.save());
    expect(waiting.counts.joined).toBeGreaterThan(50);
    expect(waiting.counts.expired).toBeGreaterThan(10);
    const cut = { ...arrays, waiting: (arrays.waiting as Uint8Array).slice(0, 50) };
    expect(() => new WaitingRecords(options).restore({ json, arrays: cut })).toThrow();
  });

  it('refuses limits that are none', () => {
    expect(() => new WaitingRecords({ keep: 0 })).toThrow('WaitingRecords.keep: 0 is not allowed');
    expect(() => new WaitingRecords({ age: 1.5 })).toThrow('WaitingRecords.age: 1.5');
  });
});
