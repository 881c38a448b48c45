import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { StringDecoder } from '../../../../src/engine/models/decoding/string-decoder.js';
import { contentsOf, modelPieces } from '../../../../src/engine/models/files/model-file.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';
import { sentenceOf } from '../../../engine/features/sentence-of.js';

const folder = workspace();

/** Names of two kinds, which nothing but the names themselves tells apart. */
function corpusOf(size: number, seed: number) {
  const random = new Random(seed);
  return Array.from({ length: size }, () => {
    const name = random.below(40);
    return { tokens: ['so', `N${name}`], tags: ['O', name < 20 ? 'B-X' : 'B-Y'] };
  });
}

const features = { templates: ['U0:%seen[0,0]', 'U1:%type[0,0]', 'B'] };

describe('a model that knows the words of its corpus', () => {
  it('tells words apart that no template names', async () => {
    const corpus = corpusOf(200, 1);
    const { bytes, tagger, scores } = await train({ corpus, features, heldOut: corpusOf(50, 2) });
    expect(scores!.f1).toBe(100);
    expect(tagger.tag(['so', 'N3'])).toEqual(['O', 'B-X']);
    const read = Tagger.fromBytes(bytes);
    const { lexicon } = read.model.extractor.plan.words;
    expect(lexicon!.stored.flatMap(([, words]) => words)).toHaveLength(40);
    expect(read.tag(['so', 'N30'])).toEqual(['O', 'B-Y']);
    expect(read.explain(['so', 'N30'])[1]!.tag).toBe('B-Y');
    // By the texts of tokens, as by the whole sentence.
    expect(StringDecoder.of(read.model)).toBeDefined();
    for (const word of ['N0', 'N39', 'n0', 'Nobody', 'so']) {
      expect(read.tag(['so', word])).toEqual(read.analyze(['so', word]).tags);
    }
  });

  it('keeps them in a section, which is parsed when a word is looked up first; older files have them in the header', async () => {
    const { bytes } = await train({ corpus: corpusOf(200, 1), features });
    const { header, sections } = contentsOf(bytes);
    const { lexicon: section, ...others } = sections;
    const stored: unknown = JSON.parse(new TextDecoder().decode(section));
    const fileOf = (lexicon: unknown, more = {}) =>
      joined(
        modelPieces({
          header: { ...header, lexicon } as typeof header,
          sections: { ...others, ...more },
        }),
      );
    expect(joined(modelPieces({ header, sections }))).toEqual(fileOf(true, { lexicon: section }));
    const tagsOf = (file: Uint8Array) =>
      Tagger.fromBytes(file, { source: 'm' }).tag(['so', 'N3', 'N30']);
    expect(tagsOf(fileOf(stored))).toEqual(['O', 'B-X', 'B-Y']);
    expect(tagsOf(bytes)).toEqual(['O', 'B-X', 'B-Y']);
    expect(() => tagsOf(fileOf(true))).toThrow('it has no section lexicon');
    for (const text of ['[["A!1",[5]]]', '{', '['.repeat(1000), '{}']) {
      const damaged = fileOf(true, { lexicon: new TextEncoder().encode(text) });
      expect(() => tagsOf(damaged), text).toThrow(
        'm: the model file is damaged: its lexicon is not a list of word classes',
      );
    }
  });

  it('trusts words no more than other parts of the corpus allow', async () => {
    // Each name comes once: what a sentence says of its own name is nothing for others.
    const corpus = Array.from({ length: 60 }, (_, s) => ({
      tokens: [`N${s}`],
      tags: [s % 3 === 0 ? 'B-X' : 'O'],
    }));
    const { tagger } = await train({ corpus, features });
    expect(tagger.tag(['N0'])).toEqual(tagger.tag(['N1']));
  });

  it.each([{ cutoff: 2 }, { support: 'observed' as const }])(
    'goes with %j',
    { tags: 'slow' },
    async more => {
      const corpus = corpusOf(200, 1);
      const { tagger } = await train({ corpus, features: { ...features, ...more } });
      expect(tagger.tag(['so', 'N3'])).toEqual(['O', 'B-X']);
    },
  );

  it('is refused on a stream', async () => {
    const pipeline = toyPipeline(folder);
    const stream = readFileSync(pipeline, 'utf8').replace(
      /^train: .*$/m,
      'train: { corpusSize: 60, seed: 1 }',
    );
    writeFileSync(pipeline, stream);
    const templates = 'stages.featurize.templates=["U0:%seen[0,0]"]';
    const { code, stderr } = await tagstream(['run', pipeline, '--set', templates]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('%seen needs statistics of the whole training corpus');
  });

  it('is refused where nobody collects the corpus', () => {
    const model = createModel({ templates: features.templates.join('\n') });
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd });
    const encoded = model.encode(sentenceOf(['so', 'N1'], { tags: ['O', 'B-X'] }));
    expect(() => learner.contribute(packMinibatch([encoded]))).toThrow('train in passes');
  });
});
