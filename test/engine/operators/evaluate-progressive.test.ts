import { from, lastValueFrom, map, tap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../src/engine/losses/perceptron-loss.js';
import { SoftmaxMargin } from '../../../src/engine/losses/softmax-margin.js';
import { ProgressiveScores } from '../../../src/engine/metrics/scores/progressive-scores.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { DriftMonitor } from '../../../src/engine/models/learning/drift-monitor.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { detectDrift } from '../../../src/engine/operators/detect-drift.js';
import {
  evaluateProgressive,
  shownScores,
} from '../../../src/engine/operators/evaluate-progressive.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { perceptron } from '../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { sentenceOf } from '../features/sentence-of.js';
import { Training } from './training.js';

describe('evaluateProgressive', () => {
  it('scores what was predicted before a sentence was learned from', async () => {
    const { model, learner, batch } = new Training();
    // A is the first label, so all is A at weights of zero: the second word is wrong at first.
    const sentences = Array.from({ length: 6 }, () => sentenceOf(['x', 'y'], { tags: ['A', 'B'] }));
    const progress = new ProgressiveScores({ spanScheme: false });
    const steps = await lastValueFrom(
      from(sentences).pipe(
        map(sentence => batch(model.encode(sentence))),
        contribute(learner, { predict: true }),
        optimize(learner),
        evaluateProgressive(model, progress),
        toArray(),
      ),
    );
    expect(steps[0]!.scores).toEqual({ sentences: 1, tokens: 2, accuracy: 50 });
    expect(steps[1]!.scores).toEqual({ sentences: 2, tokens: 4, accuracy: 75 });
    expect(steps.at(-1)!.scores).toEqual({ sentences: 6, tokens: 12, accuracy: (100 * 11) / 12 });
    expect(steps.at(-1)!.scores).toEqual(progress.scores());
  });

  it('passes over sentences without labels, and counts labels that the model cannot know', async () => {
    const { model, learner, batch, step } = new Training();
    step.call({ learner }, batch(model.encode(sentenceOf(['x'], { tags: ['A'] }))));
    model.frozen = true;
    const progress = new ProgressiveScores({ spanScheme: false });
    const sentences = [
      sentenceOf(['x', 'x']),
      sentenceOf(['x', 'x'], { tags: ['A', 'never seen'] }),
      sentenceOf(['x'], { tags: ['A'] }),
    ];
    const minibatch = batch(...sentences.map(sentence => model.encode(sentence)));
    const [scored] = await lastValueFrom(
      from([minibatch]).pipe(
        contribute(learner, { predict: true }),
        optimize(learner),
        evaluateProgressive(model, progress),
        toArray(),
      ),
    );
    expect(scored!.scores).toEqual({ sentences: 2, tokens: 3, accuracy: (100 * 2) / 3 });
    expect(scored!.contribution.sentenceCount).toBe(1);
  });

  it('skips records with a sentence from before the first label, which are not tagged', async () => {
    const model = createModel({ templates: 'U0:%x[0,0]' });
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, corpusSize: 10 });
    const progress = new ProgressiveScores({ spanScheme: false });
    const [cold, warm] = [{ id: 'cold' }, { id: 'warm' }];
    const part = (index: number) => ({ index, count: 2, start: 0 });
    const tags = ['A', 'A'];
    const sentences = [
      { ...sentenceOf(['x', 'x']), document: cold, part: part(0) },
      { ...sentenceOf(['x', 'x'], { tags }), document: cold, part: part(1) },
      { ...sentenceOf(['x', 'x']), document: warm, part: part(0) },
      { ...sentenceOf(['x', 'x'], { tags }), document: warm, part: part(1) },
    ];
    const steps = await lastValueFrom(
      from(sentences).pipe(
        map(sentence => packMinibatch([model.encode(sentence)])),
        contribute(learner, { predict: true }),
        optimize(learner),
        evaluateProgressive(model, progress),
        toArray(),
      ),
    );
    expect(steps.map(({ scores }) => scores!.sentences)).toEqual([0, 0, 0, 1]);
  });

  it('scores the known tokens of partially labelled sentences by tags that nothing is known for', async () => {
    for (const loss of [logLoss, new SoftmaxMargin(), perceptronLoss]) {
      const model = createModel({ templates: 'U0:%x[0,0]\nB' });
      const learner =
        loss === perceptronLoss
          ? createOnlineLearner(model, { loss, optimizer: perceptron, corpusSize: 10 })
          : createOnlineLearner(model, { loss, optimizer: sgd, corpusSize: 10 });
      const progress = new ProgressiveScores({ spanScheme: true });
      const oracle = new ProgressiveScores({ spanScheme: true });
      const decoder = new Decoder(model.kernel, model);
      const sentences = partiallyLabelled(60);
      const steps = await lastValueFrom(
        from(sentences).pipe(
          map(sentence => packMinibatch([model.encode(sentence)])),
          tap(minibatch => {
            const { sentence } = minibatch.sentences[0]!;
            if (model.labels.size === 0) return;
            model.reserve();
            // The same words without what is known of them.
            const { partialTags: _, tags: __, ...bare } = sentence;
            const alone = packMinibatch([model.encode(bare)]);
            const { labels } = decoder.decode(model.parameters, alone, { transitions: 'any' });
            const given = sentence.tags ?? sentence.partialTags;
            const names = Array.from(labels, label => model.labels.reported[label]!);
            if (given !== undefined) oracle.add(given, names);
          }),
          contribute(learner, { predict: true }),
          optimize(learner),
          evaluateProgressive(model, progress),
          toArray(),
        ),
      );
      const { loss: _, ...decayed } = progress.decayed.scores(true);
      const { loss: __, ...expected } = oracle.decayed.scores(true);
      expect(decayed).toEqual(expected);
      expect(progress.scores()).toEqual(oracle.scores());
      expect(steps.at(-1)!.scores).toEqual(shownScores(oracle.scores(), model));
      expect(progress.scores().tokens).toBeGreaterThan(50);
      expect(progress.scores().accuracy).toBeGreaterThan(60);
      expect(progress.scores().accuracy).toBeLessThan(100);
    }
  });

  it('counts the losses of sentences once, whatever their weight', async () => {
    const lossWith = async (...weights: (number | undefined)[]) => {
      const { model, learner, batch } = new Training();
      const encoded = weights.map(weight =>
        model.encode({
          ...sentenceOf(['x', 'y'], { tags: ['A', 'B'] }),
          ...(weight === undefined ? {} : { weight }),
        }),
      );
      const progress = new ProgressiveScores({ spanScheme: false });
      await lastValueFrom(
        from([batch(...encoded)]).pipe(
          contribute(learner, { predict: true }),
          optimize(learner),
          evaluateProgressive(model, progress),
        ),
      );
      return progress.decayed.scores(false).loss;
    };
    const plain = await lossWith(undefined, undefined);
    expect(plain).toBeCloseTo(Math.log(2), 6);
    expect(await lossWith(1000, 0.25)).toBeCloseTo(plain!, 6);
    expect(await lossWith(0, 0)).toBe(0);
  });

  it('needs predictions', async () => {
    const training = new Training();
    const step = training.step(training.batch(training.encoded(0)));
    const progress = new ProgressiveScores({ spanScheme: false });
    const scored = from([step]).pipe(evaluateProgressive(training.model, progress));
    await expect(lastValueFrom(scored)).rejects.toMatchObject({
      code: 'config',
      fix: 'call contribute with predict: true',
    });
  });
});

/** Words with a tag each, which is known, one of several, or open; every sixth sentence is open, or not labelled at all. */
function partiallyLabelled(count: number): Sentence[] {
  const random = new Random(7);
  const names = ['O', 'B-A', 'I-A'];
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 2 + random.below(4) }, () => random.below(9));
    const partialTags = words.map(word => {
      const tag = names[word % 3]!;
      return [tag, [tag], [tag, names[random.below(3)]!], null][i % 6 === 5 ? 3 : random.below(4)]!;
    });
    if (i === 0) partialTags.fill('O');
    const sentence = sentenceOf(words.map(word => `w${word}`));
    return i % 12 === 11 ? sentence : { ...sentence, partialTags };
  });
}

/** Words with a label each; from sentence `change` on with that of another word. */
function drifting(seed: number, count: number, change = Number.POSITIVE_INFINITY): Sentence[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 2 + random.below(4) }, () => random.below(12));
    // One in ten is any: no score is ever perfect.
    const label = (word: number) =>
      random.below(10) === 0 ? random.below(3) : (word + (i < change ? 0 : 1)) % 3;
    return sentenceOf(
      words.map(word => `w${word}`),
      { tags: words.map(word => `L${label(word)}`) },
    );
  });
}

/** The sentences at which a stream is warned of, with the codes. */
async function warned(stream: readonly Sentence[]): Promise<string[]> {
  const { model, learner, batch } = new Training();
  const progress = new ProgressiveScores({ spanScheme: false });
  const warnings: string[] = [];
  const onWarning = ({ code }: { code: string }) => warnings.push(`${code} ${progress.sentences}`);
  const monitor = new DriftMonitor(learner, {
    ...{ detector: { watch: { sentences: 30, drop: 20 } }, onWarning },
  });
  const steps = from(stream).pipe(
    map(sentence => batch(model.encode(sentence))),
    contribute(learner, { predict: true }),
    optimize(learner),
    evaluateProgressive(model, progress),
    detectDrift(monitor),
  );
  await lastValueFrom(steps);
  return warnings;
}

describe('detectDrift with the watch', () => {
  it('warns of nothing while the stream stays the same', { tags: 'slow' }, async () => {
    for (const seed of [1, 2, 3]) expect(await warned(drifting(seed, 3000))).toEqual([]);
  });

  it('warns once, soon, when the labels are permuted midway', async () => {
    for (const seed of [1, 2, 3]) {
      const warnings = await warned(drifting(seed, 3000, 1500));
      expect(warnings).toHaveLength(1);
      const [code, at] = warnings[0]!.split(' ');
      expect(code).toBe('score-drop');
      expect(Number(at)).toBeGreaterThan(1500);
      expect(Number(at)).toBeLessThan(1600);
    }
  });

  it('warns when the labels come to be one, and are several again for a model that has unlearned them', async () => {
    const only = drifting(4, 400).map(({ tokens }) =>
      sentenceOf(tokens, { tags: tokens.map(() => 'L1') }),
    );
    // Too few sentences to unlearn by: 31 with nothing but L1 predicted, and tags that are several.
    const several = drifting(5, 40).map(({ tokens }, i) =>
      sentenceOf(['unseen', ...tokens], { tags: [`L${i % 3}`, ...tokens.map(() => 'L1')] }),
    );
    const warnings = await warned([...only, ...several]);
    expect(warnings.map(each => each.split(' ')[0])).toEqual(['one-label']);
  });
});
