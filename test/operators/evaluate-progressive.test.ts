import { from, lastValueFrom, map, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ProgressiveScores } from '../../src/metrics/progressive-scores.js';
import { contribute } from '../../src/operators/contribute.js';
import { evaluateProgressive } from '../../src/operators/evaluate-progressive.js';
import { optimize } from '../../src/operators/optimize.js';
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

  it('needs predictions', async () => {
    const training = new Training();
    const step = training.step(training.batch(training.encoded(0)));
    const progress = new ProgressiveScores({ spanScheme: false });
    const scored = from([step]).pipe(evaluateProgressive(training.model, progress));
    await expect(lastValueFrom(scored)).rejects.toMatchObject({
      code: 'config',
      fix: 'give contribute the option predict: true',
    });
  });
});
