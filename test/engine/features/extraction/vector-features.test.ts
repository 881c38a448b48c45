import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { FeatureNames } from '../../../../src/engine/features/extraction/feature-names.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { quantisedVectors } from '../../../../src/engine/features/resources/quantised-vectors.js';
import type { QuantisedVectors } from '../../../../src/engine/features/resources/resources.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { TextFeatures } from '../../../../src/engine/features/texts/text-features.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { sentenceOf } from '../sentence-of.js';

const random = new Random(9);
const known = ['cat', 'Dog', 'runs', 'é', '😀'];
const dimensions = 5;
const values = Float32Array.from({ length: known.length * dimensions }, () => random.normal());
// A number that is 0 makes no feature.
values[2] = 0;
const vectors = quantisedVectors({ words: known, dimensions, values });
const folded = quantisedVectors({ words: known, dimensions, values }, { fold: true });

type Found = Map<string, number>;

/** Features and their values by token, named by the text that they are the hash of. */
function extracted(
  template: string,
  tokens: readonly string[],
  list: QuantisedVectors,
  columns: Readonly<Record<string, readonly string[]>> = {},
): Found[] {
  const set = parseTemplates(template);
  const extractor = new FeatureExtractor(set, ['form', ...Object.keys(columns)], undefined, {
    vectors: { v: list },
  });
  const names = new FeatureNames(extractor.plan);
  const index = new ExactIndex(1, extractor.memory);
  const sentence = sentenceOf(tokens, { columns });
  extractor.open(sentence);
  extractor.state(tokens.length, index, true);
  const located = extractor.locate('state', tokens.length, index);
  return tokens.map((_, t) => {
    const found: Found = new Map();
    for (let k = located.starts[t]!; k < located.starts[t + 1]!; k += 1) {
      const name = names.name('state', located.templates[k]!, sentence, t)!;
      found.set(name, located.values?.[k] ?? 1);
    }
    return found;
  });
}

/** What they should be: slow, word by word. */
function expected(
  text: string,
  looked: readonly (string | undefined)[],
  list: QuantisedVectors,
): Found[] {
  const words = list.text.split('\n');
  return looked.map(word => {
    const at = word === undefined ? -1 : words.indexOf(list.fold ? word.toLowerCase() : word);
    const found: Found = new Map();
    for (let d = 0; at >= 0 && d < list.dimensions; d += 1) {
      const value = list.numbers[at * list.dimensions + d]! * list.steps[at]!;
      if (value !== 0) found.set(`${text}.${d}`, value);
    }
    return found;
  });
}

const tokens = ['dog', 'Dog', 'unseen', 'cat', 'É', '😀', 'runs'];

describe('%vector', () => {
  it.each([
    ['of the token', 0, vectors],
    ['of the token, case folded', 0, folded],
    ['of the token before', -1, vectors],
    ['of a token far behind', 3, folded],
  ])('has the numbers of the vector as values of a feature each: %s', (_, offset, list) => {
    const macro = `UV:%vector[${offset},0,v]`;
    const looked = tokens.map((_, t) => tokens[t + offset]);
    const found = extracted(macro, tokens, list);
    expect(found).toEqual(expected(macro, looked, list));
    expect(found.some(({ size }) => size > 0)).toBe(true);
    expect(found.some(({ size }) => size === 0)).toBe(true);
  });

  it('looks at absolute places, and at other columns', () => {
    const first = tokens.map(() => 'cat');
    const given = ['cat', ...tokens.slice(1)];
    expect(extracted('U%vector[@0,0,v]', given, vectors)).toEqual(
      expected('U%vector[@0,0,v]', first, vectors),
    );
    const lemma = tokens.map(() => 'runs');
    expect(extracted('U%vector[0,lemma,v]', tokens, vectors, { lemma })).toEqual(
      expected('U%vector[0,lemma,v]', lemma, vectors),
    );
  });

  it('stands beside other templates, whose features stay as they are', () => {
    const others = 'U0:%x[0,0]\nU1:%x[@0,0]\nU2:%v[0,n]';
    const columns = { n: tokens.map((_, t) => String(t)) };
    const without = extracted(others, tokens, vectors, columns);
    const macro = 'U%vector[0,0,v]';
    const both = extracted(`${macro}\n${others}\nU%vector[1,0,v]`, tokens, vectors, columns);
    const numbers = expected(macro, tokens, vectors);
    const next = expected('U%vector[1,0,v]', tokens.slice(1), vectors);
    expect(both).toEqual(
      tokens.map((_, t) => new Map([...numbers[t]!, ...without[t]!, ...(next[t] ?? [])])),
    );
  });

  it('gives each dimension one feature, whatever the word', () => {
    const { stateIndex, extractor } = createModel({
      templates: 'U%vector[0,0,v]',
      resources: { vectors: { v: vectors } },
    });
    extractor.open(sentenceOf(known));
    extractor.state(known.length, stateIndex, true);
    expect(stateIndex.size).toBe(dimensions);
  });

  it('is not made of texts alone, and named as one template', () => {
    const { plan } = createModel({
      templates: 'U:%x[0,0]\nU%vector[0,0,v]',
      resources: { vectors: { v: vectors } },
    }).extractor;
    expect(TextFeatures.canMake(plan)).toBe(false);
    const names = new FeatureNames(plan);
    expect(names.templates('state')).toEqual(['U:%x[0,0]', 'U%vector[0,0,v]']);
    expect([...names.writtenOf('state')]).toEqual([0, 1, 1, 1, 1, 1]);
    const active = new Uint32Array(names.count('state'));
    const count = names.activeAt('state', sentenceOf(['cat', 'x']), 0, active);
    // Those that may find nothing: all dimensions but the one that is 0.
    expect([...active.subarray(0, count)]).toEqual([0, 1, 2, 4, 5]);
  });

  it.each([
    ['B%vector[0,0,v]', /:1:1: %vector makes features of tokens, not transitions/],
    ['*%vector[0,0,v]', /start the template with U: U:%vector\[0,0,v\]/],
    ['U:%vector[0,0,v]/%x[0,0]', /%vector cannot be combined with other macros/],
    ['U:%vector[0,0,v]%vector[1,0,v]', /give it a template of its own: U:%vector\[0,0,v\]/],
    ['U:%v[0,0]%vector[0,0,v]', /%vector cannot be combined with other macros/],
    ['U:%vector[0,0]', /%vector needs the name of a list/],
    ['U:%vector[0,0,v,3]', /%vector needs the name of a list/],
  ])('is refused in %s', (template, message) => {
    expect(() => parseTemplates(template)).toThrow(message);
  });

  it('is refused where no list has its name, and where labels emit their tokens', () => {
    const resources = { vectors: { v: vectors } };
    expect(() => createModel({ templates: 'U:%vector[0,0,w]', resources })).toThrow(
      '"U:%vector[0,0,w]" uses the word vectors "w", which the model does not have (it has v)',
    );
    expect(() => createModel({ templates: 'U:%vector[0,0,w]' })).toThrow(
      'give it: vectors: { w: FILE }',
    );
    const templates = 'U0:%x[0,0]\nU:%vector[0,0,v]\nB';
    expect(() => createModel({ templates, resources, scorer: 'hmm' })).toThrow(
      'has a vector of numbers',
    );
  });
});
