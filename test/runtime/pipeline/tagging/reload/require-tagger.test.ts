import { expect, it } from 'vitest';
import { createModel } from '../../../../../src/engine/models/create-model.js';
import {
  requireSameInput,
  requireTagger,
} from '../../../../../src/runtime/pipeline/tagging/reload/open-model.js';
import { sentenceOf } from '../../../../engine/features/sentence-of.js';
import { toyModel, toyModelBytes } from '../toy-tagger.js';

it('a trained model can tag; one without labels, or with weights that are no numbers, cannot', () => {
  const model = toyModel(toyModelBytes());
  expect(() => requireTagger(model, 'toy.model')).not.toThrow();
  expect(() => requireTagger(createModel({ templates: 'U:%x[0,0]' }), 'new.model')).toThrow(
    'new.model: the model cannot tag: it has no label (copy the file again, or retrain the model)',
  );
  model.parameters.weights.edges.view.fill(Number.NaN);
  expect(() => requireTagger(model, 'toy.model')).toThrow(
    /the score of a sentence is -?(NaN|Infinity)/,
  );
});

it('a model can tag whose templates ask for columns by names that have no number', () => {
  const model = createModel({ templates: 'U:%x[0,pos]\nU1:%v[0,size]\nB' });
  const columns = { pos: ['N', 'V'], size: [1, 2] };
  model.encode(sentenceOf(['a', 'b'], { tags: ['X', 'Y'], columns }));
  model.reserve();
  expect(() => requireTagger(model, 'named.model')).not.toThrow();
});

it('the options of a format have to stay, where they are those of the model', () => {
  const { spec } = toyModel(toyModelBytes());
  const reading = (codec: string, columns: string[]) => ({
    ...spec,
    input: { codec, options: { columns } },
  });
  const two = reading('conll', ['form', 'tag']);
  const three = reading('conll', ['form', 'pos', 'tag']);
  expect(() => requireSameInput('conll', two, two, 'x')).not.toThrow();
  expect(() => requireSameInput('conll', two, three, 'x')).toThrow(
    'x: the model reads conll as {"columns":["form","pos","tag"]}, the old one as {"columns":["form","tag"]} (start a new tagging run with it)',
  );
  expect(() => requireSameInput('conll', two, spec, 'x')).toThrow('reads conll as {}');
  // NDJSON is being read, and neither was trained on it.
  expect(() => requireSameInput('ndjson', two, three, 'x')).not.toThrow();
});
