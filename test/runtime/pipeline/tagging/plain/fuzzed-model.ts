import { Random } from '../../../../../src/engine/core/random.js';
import { readModel, writeModel } from '../../../../../src/engine/models/files/model-file.js';
import type { Model } from '../../../../../src/engine/models/model.js';
import { sentenceOf } from '../../../../engine/features/sentence-of.js';
import { train } from '../../../../engine/models/examples/train.js';

/** A model of random sentences, with a template for the column `pos` if asked for. */
export function fuzzedModel(
  { words, tags, templates }: Record<'words' | 'tags', readonly string[]> & { templates: string },
  withColumn: boolean,
): Model {
  const random = new Random(3);
  const corpus = Array.from({ length: 30 }, () => {
    const length = 1 + random.below(9);
    const some = (items: readonly string[]) =>
      Array.from({ length }, () => items[random.below(items.length)]!);
    const columns = withColumn ? { pos: some(['N', 'V', 'é']) } : {};
    return sentenceOf(some(words), { tags: some(tags), columns });
  });
  const spec = {
    templates: `${templates}${withColumn ? '\nU03:%x[0,1]' : ''}\nB`,
    ...(withColumn ? { columns: ['form', 'pos'] } : {}),
  };
  return readModel(writeModel(train(corpus, { spec })));
}
