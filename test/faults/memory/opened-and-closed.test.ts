import { concat, NEVER, of, take, throwError } from 'rxjs';
import { expect, it } from 'vitest';
import type { Minibatch } from '../../../src/engine/core/minibatch/minibatch.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { readModel, writeModel } from '../../../src/engine/models/files/model-file.js';
import type { Model } from '../../../src/engine/models/model.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { tag } from '../../../src/engine/operators/tag.js';
import { taggingStages } from '../../../src/runtime/pipeline/tagging/tagging-stages.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { sentenceOf } from '../../engine/features/sentence-of.js';
import { syntheticCorpus } from '../../engine/models/examples/synthetic-corpus.js';
import { train } from '../../engine/models/examples/train.js';
import { longForm } from '../long-form.js';

/** The first kernel, the reference, is slow, and its memory is that of the others. */
const kernels = longForm ? kernelRows : kernelRows.slice(2);
const times = longForm ? 10_000 : 600;
const corpus = syntheticCorpus(new Random(9), 30, { labels: 3 });
const spec = { templates: 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]' };
const bytes = writeModel(train(corpus, { spec }));
const tokens = Array.from({ length: 2000 }, (_, t) => `w${t % 9}`);
const all = { marginals: true, probability: true, nbest: 2 } as const;

/** What opens a stream or a tagger over a model, uses it and closes it. */
const uses: Readonly<Record<string, (model: Model, batch: Minibatch) => unknown>> = {
  'a stream that completes': (model, batch) => of(batch).pipe(tag(model)).subscribe(),
  'a stream that fails': (model, batch) =>
    concat(
      of(batch),
      throwError(() => new Error('gone')),
    )
      .pipe(tag(model))
      .subscribe({ error: () => undefined }),
  'a stream that is left': (model, batch) =>
    concat(of(batch), NEVER).pipe(tag(model), take(1)).subscribe(),
  'a stream with all that can be asked for': (model, batch) =>
    of(batch).pipe(tag(model, all)).subscribe(),
  'the stages of tagging': model =>
    of({ tokens })
      .pipe(taggingStages(model, { output: 'record', decoding: 'viterbi' }, { sentences: 1 }))
      .subscribe(),
  'a decoder': (model, batch) => new Decoder(model.kernel, model).decode(model.parameters, batch),
  'a tagger': model => new Tagger(model).tag(tokens),
  'an explanation': model => new Tagger(model).explain(tokens.slice(0, 100)),
};

it.each(kernels)(
  'opened and closed again and again, memory is flat: $name',
  { tags: 'slow' },
  ({ kernel }) => {
    const model = readModel(bytes, 'own.model', kernel);
    const { memory } = model.parameters;
    const batch = packMinibatch([model.encode(sentenceOf(tokens))]);
    const each = Object.values(uses);
    for (const use of each) use(model, batch);
    const before = memory.buffer.byteLength;
    for (let i = 0; i < times; i += 1) each[i % each.length]!(model, batch);
    expect(memory.buffer.byteLength).toBe(before);
  },
);
