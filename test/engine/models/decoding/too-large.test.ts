import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { PathDecoder } from '../../../../src/engine/models/decoding/row-decoder.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { sentenceOf } from '../../features/sentence-of.js';

const labels = 1000;
const names = Array.from({ length: labels }, (_, y) => `B-${y}`);
const graph = { potentials: 'free', maxWidth: 3, schedule: 'residual' } as const;
const segments = { maxLength: 2, features: [] };

/** A model whose labels and features are known, and whose weights are all 0. */
function untrained(spec: Partial<ModelSpec>): Model {
  const model = createModel({ templates: 'U0:%x[0,0]\nB0:%type[0,0]', ...spec });
  model.encode(sentenceOf(names.slice(0), { tags: names }));
  model.frozen = true;
  model.reserve();
  return model;
}

function linked(count: number): Sentence {
  const tokens = Array.from({ length: count }, (_, t) => names[t]!);
  const links = tokens.slice(1).map((_, t) => [0, t + 1]);
  return { ...sentenceOf(tokens), document: { links } as unknown as Document };
}

const short = sentenceOf(['B-1', 'B-2']);
const long = sentenceOf(names.concat(names));

describe('a sentence that does not fit into memory', () => {
  it.each([
    ['chain', {}, long],
    ['segments', { segments }, long],
    ['graph', { graph }, linked(300)],
  ] as const)(
    'is rejected, and the others of its batch are tagged: %s',
    { tags: 'slow' },
    (_, spec, large) => {
      const problem = new RegExp(`^${large.tokens.length} tokens with 1000 labels do not fit`);
      const model = untrained(spec as Partial<ModelSpec>);
      const sentences = [short, large, short].map(each => model.encodeKnown(each));
      const decoder = new Decoder(model.kernel, model);
      for (let time = 0; time < 2; time += 1) {
        const decoded = decoder.decode(model.parameters, packMinibatch(sentences), {});
        const rejected = [...decoded.rejected!].map(([s, { code, problem }]) => [s, code, problem]);
        expect(rejected).toEqual([[1, 'too-large', expect.stringMatching(problem)]]);
        expect([...decoded.scores]).toEqual([0, Number.NaN, 0]);
      }
      const tokens = [...large.tokens];
      const { links } = large.document as { links?: never };
      expect(() => new Tagger(model).analyze(tokens, {}, links && { links })).toThrow(
        expect.objectContaining({ code: 'too-large' }),
      );
    },
  );

  it('is left to its record where best paths are found for all at once', { tags: 'slow' }, () => {
    const model = untrained({});
    const decoder = PathDecoder.of(model, {})!;
    const found = (lengths: readonly number[]) => {
      const starts = [0];
      for (const length of lengths) starts.push(starts.at(-1)! + length);
      // Tokens without a feature that the model knows.
      const rows = { starts: new Uint32Array(starts.at(-1)! + 1), rows: new Uint32Array(0) };
      return decoder.decode(rows, Uint32Array.from(starts)).sentences;
    };
    expect([found([2, 2]), found([2, 1_200_000]), found([2, 2])]).toEqual([2, 0, 2]);
  });
});
