import { filter, from, lastValueFrom, type OperatorFunction, pipe, tap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../src/engine/core/sentence/tagged-document.js';
import { assemble } from '../../../src/engine/operators/assemble.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { checkpoint } from '../../../src/engine/operators/checkpoint.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { passes } from '../../../src/engine/operators/passes.js';
import { tag } from '../../../src/engine/operators/tag.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import { CountingDelivery } from './counting-delivery.js';
import { MemoryCheckpointStore } from './memory-checkpoint-store.js';
import { Training } from './training.js';

// At the end of each way a record can go, its delivery has been released once and acknowledged once, or
// rejected once and nothing else.
const wellFormed: readonly Document[] = [
  { id: 'text', text: 'One here. Two here. Three here.' },
  { id: 'labelled', tokens: ['a', 'b'], tags: ['A', 'B'] },
  { id: 'single', text: 'One.' },
  {
    id: 'divided',
    tokens: ['a', 'b', 'a'],
    tags: ['A', 'B', 'A'],
    sentences: [
      [0, 1],
      [1, 3],
    ],
  },
];
const malformed: readonly Document[] = [
  { id: 'none' },
  { id: 'tags', tokens: ['a', 'b'], tags: ['A'] },
  // Only the second of its sentences is wrong: it has one tag less than tokens.
  {
    id: 'half',
    tokens: ['a', 'b', 'c'],
    tags: ['A', 'B'],
    sentences: [
      [0, 1],
      [1, 3],
    ],
  },
];

async function callsAfter(
  way: OperatorFunction<Document, unknown>,
): Promise<Record<string, readonly number[]>> {
  const documents = [...wellFormed, ...malformed, ...wellFormed.slice(0, 1)].map((each, i) => ({
    ...each,
    id: `${each.id}${i === 7 ? ' again' : ''}`,
    delivery: new CountingDelivery(i + 1),
  }));
  await lastValueFrom(from(documents).pipe(way, toArray()));
  return Object.fromEntries(documents.map(({ id, delivery }) => [id, delivery.calls]));
}

const once = [1, 1, 0];
const rejected = [0, 0, 1];
const settled = {
  text: once,
  labelled: once,
  single: once,
  divided: once,
  none: rejected,
  tags: rejected,
  half: rejected,
  'text again': once,
};

/** What a sink does once a document is written. */
const sink = tap(({ document }: TaggedDocument) => {
  document.delivery!.release();
  document.delivery!.ack();
});

describe('deliveries', () => {
  it.each([1, 2, 5])('of tagging, in minibatches of %i: all is settled by the sink', async size => {
    const { model } = new Training();
    model.labels.intern('A');
    const way = pipe(
      tokenize(),
      featurize(model),
      batch({ sentences: size }),
      tag(model),
      assemble(),
      sink,
    );
    expect(await callsAfter(way)).toEqual(settled);
  });

  it('of training in passes: collected records are settled, before they are learned from', async () => {
    const { model, learner } = new Training();
    const way = pipe(
      tokenize(),
      featurize(model),
      passes(model, { epochs: 3 }),
      batch({ sentences: 2 }),
      contribute(learner),
      optimize(learner),
    );
    expect(await callsAfter(way)).toEqual(settled);
  });

  it('of a stream that is learned from: checkpoints acknowledge, the end of the way releases', async () => {
    const { model, learner } = new Training();
    const way = pipe(
      tokenize(),
      featurize(model),
      batch({ sentences: 2 }),
      contribute(learner),
      optimize(learner),
      checkpoint(new MemoryCheckpointStore(), () => ({ learner: learner.save() }), {
        sentences: 3,
      }),
      tap(({ contribution }) => {
        for (const { sentence } of contribution.minibatch.sentences) sentence.delivery!.release();
      }),
    );
    expect(await callsAfter(way)).toEqual(settled);
  });

  it('of a stream that is tagged and thinned out: who drops a record settles it', async () => {
    const { model, learner } = new Training();
    model.labels.intern('A');
    const way = pipe(
      tokenize(),
      featurize(model),
      batch(),
      contribute(learner, { predict: true }),
      optimize(learner),
      tag(model),
      assemble(),
      sink,
      filter(tagged => tagged.gold === undefined),
    );
    expect(await callsAfter(way)).toEqual(settled);
  });
});
