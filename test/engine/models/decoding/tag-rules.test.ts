import { describe, expect, it } from 'vitest';
import type { TagRule } from '../../../../src/engine/models/decoding/tag-rules.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../../../src/runtime/pipeline/training/train-request.js';

const corpus = [
  { tokens: ['Anna', 'flew', 'to', 'New', 'York'], tags: ['B-PER', 'O', 'O', 'B-LOC', 'I-LOC'] },
  { tokens: ['Oslo', 'is', 'cold'], tags: ['B-LOC', 'O', 'O'] },
  { tokens: ['Ben', 'Berg', 'is', 'here'], tags: ['B-PER', 'I-PER', 'O', 'O'] },
];
const templates = 'U00:%x[0,0]\nU01:%type[0,0]\nB';

type Given = Partial<Omit<TrainRequest, 'corpus'>>;

async function taggerOf(given: Given = {}): Promise<Tagger> {
  const request = { corpus, features: { templates }, epochs: 5, ...given };
  return (await train(request as TrainRequest)).tagger;
}

const withRules = ({ model }: Tagger, ...rules: TagRule[]) => new Tagger(model, { rules });

describe('rules beside a model', () => {
  const models: [name: string, given: Given][] = [
    ['a chain', {}],
    ['labels in BIOES', { features: { templates, encode: 'bioes' } } as Given],
    ['hidden states', { hidden: 2 } as Given],
    ['spans as segments', { structure: 'segments' } as Given],
    ['an MEMM', { scorer: 'memm', loss: 'local-log' } as Given],
    ['voters', { trainer: { 'voted-perceptron': { voters: 5 } }, loss: 'perceptron' } as Given],
    [
      'an HMM',
      { scorer: 'hmm', loss: 'joint', trainer: { counts: { k: 0.01 } }, epochs: 1 } as Given,
    ],
    ['a graph', { structure: 'graph' } as Given],
    ['pruned labels', { prune: { most: 2 } } as Given],
    ['a dictionary', { features: { templates, dictionary: { minCount: 1 } } } as Given],
  ];
  it.each(models)('set, forbid and suggest labels with %s', async (_, given) => {
    const plain = await taggerOf(given).catch((error: Error) => error);
    if (plain instanceof Error) throw plain;
    const tokens = ['Anna', 'flew', 'to', 'Lake', 'Erie', 'now'];
    const set = withRules(plain, { set: 'LOC', names: ['Lake Erie'] });
    expect(set.tag(tokens).slice(3, 5)).toEqual(['B-LOC', 'I-LOC']);
    expect(set.tag(tokens)[5]).not.toBe('I-LOC');
    expect(set.tagMany([tokens, ['Oslo']])[0]).toEqual(set.tag(tokens));
    const forbid = withRules(plain, { forbid: 'PER', pattern: 'Anna|Ben' });
    expect(forbid.tag(tokens)[0]).not.toContain('PER');
    const suggest = withRules(plain, { suggest: 'PER', names: ['now'], weight: 60 });
    expect(suggest.tag(tokens)[5]).toBe('B-PER');
    const against = withRules(plain, { suggest: 'PER', names: ['Anna'], weight: -60 });
    // A suggestion chooses among what the dictionary allows.
    expect(against.tag(tokens)[0] === 'B-PER').toBe(plain.model.dictionary !== undefined);
    expect(withRules(plain, { set: 'LOC', names: ['absent'] }).tag(tokens)).toEqual(
      plain.tag(tokens),
    );
  });

  it('leave the rest of the sentence the best, as constraints of the same meaning do', async () => {
    const plain = await taggerOf();
    const tokens = ['Ben', 'Berg', 'flew', 'New', 'York', 'cold'];
    const options = { nbest: 4, marginals: true, probability: true, spanProbabilities: true };
    const rules = [
      { set: 'PER', names: ['Berg flew'] },
      { forbid: 'LOC', pattern: 'N\\w+' },
    ];
    const constraints = {
      ...{ 1: ['B-PER'], 2: ['I-PER'] },
      ...{ 3: { not: ['I-PER', 'B-LOC', 'I-LOC'] } },
    };
    expect(plain.analyze(tokens, {}, { ...options, rules })).toEqual(
      plain.analyze(tokens, {}, { ...options, constraints }),
    );
    for (const decoding of ['posterior', 'minimum-risk'] as const) {
      const by = plain.analyze(tokens, {}, { decoding, rules });
      expect(by).toEqual(plain.analyze(tokens, {}, { decoding, constraints }));
    }
  });

  it('give suggestions their weight for each token, by enumeration', async () => {
    const plain = await taggerOf();
    const tokens = ['Ben', 'is', 'York'];
    const all = plain.analyze(tokens, {}, { nbest: 1000 }).nbest!;
    expect(all.length).toBe(41);
    for (const weight of [0.5, 2, -1.5]) {
      const rules = [{ suggest: 'LOC', names: ['is York'], weight }];
      const ranked = all
        .map(({ tags, score }) => {
          const agrees = Number(tags[1] === 'B-LOC') + Number(tags[2] === 'I-LOC');
          return { tags, score: score + agrees * weight };
        })
        .sort((a, b) => b.score - a.score);
      const found = plain.analyze(tokens, {}, { nbest: 5, rules }).nbest!;
      expect(found.map(({ tags }) => tags)).toEqual(ranked.slice(0, 5).map(({ tags }) => tags));
      for (const [i, { score }] of found.entries()) expect(score).toBeCloseTo(ranked[i]!.score, 4);
    }
  });

  it('keep probabilities finite for weights of any size', async () => {
    const plain = await taggerOf();
    for (const weight of [1e3, 1e6, -1e6]) {
      const rules = [{ suggest: 'PER', names: ['is'], weight }];
      const options = { marginals: true, probability: true, spanProbabilities: true, rules };
      const { tags, marginals, probability } = plain.analyze(['Ben', 'is', 'here'], {}, options);
      expect(tags[1] === 'B-PER').toBe(weight > 0);
      expect(probability).toBeGreaterThan(0.01);
      for (const each of marginals!) expect(each > 0 && each <= 1).toBe(true);
    }
  });

  it('look at texts, with what stands between tokens', async () => {
    const plain = await taggerOf();
    const rules: TagRule[] = [
      { set: 'LOC', names: ["St. John's", 'Acme Inc.'] },
      { set: 'PER', pattern: '\\p{Lu}\\w+  \\p{Lu}\\w+' },
    ];
    const { spans } = new Tagger(plain.model, { rules }).tagText(
      "Now St. John's is. They  Went to Acme Inc. and They Went",
    );
    const found = spans!.map(({ label, text }) => `${label} ${text}`);
    expect(found).toContain("LOC St. John's");
    expect(found).toContain('LOC Acme Inc.');
    expect(found).toContain('PER They  Went');
    expect(found).not.toContain('PER They Went');
    // Tokens alone are taken with single spaces between.
    const joined = new Tagger(plain.model, { rules: [{ set: 'PER', pattern: 'a b' }] });
    expect(joined.tag(['a', 'b'])).toEqual(['B-PER', 'I-PER']);
    // A match stands for all tokens that it touches; an empty one is none.
    const touching = new Tagger(plain.model, { rules: [{ set: 'PER', pattern: 'x y|z*' }] });
    expect(touching.tag(['ax', 'yb', 'c']).slice(0, 2)).toEqual(['B-PER', 'I-PER']);
  });

  it('give way in their order: to constraints, to rules before them, to what is possible', async () => {
    const plain = await taggerOf();
    const tokens = ['a', 'b', 'c'];
    const rules: TagRule[] = [
      { set: 'LOC', names: ['a b'] },
      { set: 'PER', names: ['b c'] },
      { forbid: 'LOC', pattern: 'a' },
      { set: 'O', names: ['c'] },
    ];
    const tagger = new Tagger(plain.model, { rules });
    expect(tagger.tag(tokens)).toEqual(['B-LOC', 'I-LOC', 'O']);
    const constraints = { 1: ['B-PER'] };
    expect(tagger.analyze(tokens, {}, { constraints }).tags).toEqual(['O', 'B-PER', 'I-PER']);
    // Their spans are one after the other, also where they touch and have one label.
    const touching = new Tagger(plain.model, { rules: [{ set: 'PER', pattern: '\\w' }] });
    expect(touching.tag(tokens)).toEqual(['B-PER', 'B-PER', 'B-PER']);
  });

  it('take tags as they are where these mark no spans', async () => {
    const words = [{ tokens: ['the', 'dog', 'runs'], tags: ['DET', 'NOUN', 'VERB'] }];
    const { tagger } = await train({ corpus: words, features: { templates }, epochs: 5 });
    const set = withRules(tagger, { set: 'VERB', names: ['dog'] });
    expect(set.tag(['the', 'dog', 'runs'])[1]).toBe('VERB');
    const forbid = withRules(tagger, { forbid: 'NOUN', names: ['DOG'], fold: true });
    expect(forbid.tag(['the', 'dog', 'runs'])[1]).not.toBe('NOUN');
  });

  it('are explained: which apply, what they add, and the tag without them', async () => {
    for (const given of [{}, { hidden: 2 } as Given]) {
      const plain = await taggerOf(given);
      const tagger = withRules(
        plain,
        { set: 'LOC', names: ['Anna'], from: 'rules.yaml:2' },
        { suggest: 'PER', names: ['cold'], weight: 30 },
      );
      const [first, , last] = tagger.explain(['Anna', 'is', 'cold']);
      expect(first).toMatchObject({
        tag: 'B-LOC',
        withoutRules: 'B-PER',
        rules: [{ effect: 'set', label: 'LOC', start: 0, end: 1, from: 'rules.yaml:2' }],
      });
      expect(last).toMatchObject({ tag: 'B-PER', withoutRules: 'O' });
      const sum = last!.contributions.reduce((total, { amount }) => total + amount, 0);
      expect(sum).toBeCloseTo(last!.difference!, 6);
      expect(last!.contributions).toContainEqual(
        expect.objectContaining({ kind: 'rule', name: 'suggest PER (rule 2)', amount: 30 }),
      );
      for (const { rules, withoutRules } of plain.explain(['Anna', 'is'])) {
        expect([rules, withoutRules]).toEqual([undefined, undefined]);
      }
    }
  });

  it('are refused where they are wrong, with where they are written', async () => {
    const { model } = await taggerOf();
    const from = 'rules.yaml:7';
    const refused: [TagRule, RegExp][] = [
      [{ from, set: 'LCO', names: ['a'] }, /^rules\.yaml:7: the model has no label "LCO" \(.*LOC/],
      [{ from, names: ['a'] }, /^rules\.yaml:7: the rule does nothing/],
      [{ from, set: 'LOC', forbid: 'PER', names: ['a'] }, /the rule does two things/],
      [{ from, set: 'LOC' }, /needs either a pattern or names/],
      [{ from, set: 'LOC', names: ['a'], pattern: 'a' }, /needs either a pattern or names/],
      [{ from, set: 'LOC', pattern: '(a' }, /the pattern is not valid.*Unterminated/],
      [{ from, set: 'LOC', pattern: '(a+)\\1+b' }, /the pattern is not valid/],
      [{ from, set: 'LOC', pattern: 'a', fold: true }, /fold applies to names/],
      [{ from, set: 'LOC', names: [' '] }, /there are no names/],
      [{ from, set: 'LOC', names: ['a'], weight: 1 }, /weight applies to suggest/],
      [{ from, suggest: 'LOC', names: ['a'], weight: Number.NaN }, /the weight is NaN/],
      [{ set: '', names: ['a'] }, /^rule 1: set is not a label/],
      [{ st: 'LOC', names: ['a'] } as TagRule, /unknown key "st" \(did you mean set/],
    ];
    for (const [rule, message] of refused) {
      expect(() => new Tagger(model, { rules: [rule] })).toThrow(message);
    }
    expect(() => new Tagger(model, { rules: {} as never })).toThrow(/the rules are not a list/);
  });

  it('take linear time, whatever the pattern and the text are', async () => {
    const { model } = await taggerOf();
    const tagger = new Tagger(model, { rules: [{ set: 'LOC', pattern: '(a+)+b' }] });
    const began = performance.now();
    tagger.tag(Array.from({ length: 20_000 }, () => 'aaaaa'));
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
