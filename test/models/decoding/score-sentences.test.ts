import { expect, it } from 'vitest';
import { Decoder } from '../../../src/models/decoding/decoder.js';
import { scoreSentences } from '../../../src/models/decoding/score-sentences.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { train } from '../examples/train.js';

it('scores are of the best tags, whatever the constraints of a sentence', () => {
  const spec = { templates: 'U0:%x[0,0]\nB' };
  const words = ['a', 'b', 'a', 'b'];
  const corpus = [sentenceOf(words, { tags: ['X', 'Y', 'X', 'Y'] })];
  const { model } = train(corpus, { spec, passes: 10 });
  const scored = (constraints?: Record<number, string[]>) => {
    const tags: string[] = [];
    const sentences = [
      { ...sentenceOf(words, { tags: ['X', 'Y', 'Y', 'X'] }), ...(constraints && { constraints }) },
    ].map(sentence => model.encodeKnown(sentence));
    const decoder = new Decoder(model.kernel, model);
    const scores = scoreSentences(model, model.parameters, decoder, sentences, {}, (_, found) =>
      tags.push(...found),
    );
    return { tags, scores };
  };
  expect(scored().tags).toEqual(['X', 'Y', 'X', 'Y']);
  // Gold tags as constraints would make every score perfect.
  expect(scored({ 2: ['Y'], 3: ['X'] })).toEqual(scored());
});
