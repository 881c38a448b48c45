import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { DeploymentGate } from '../../../../src/engine/models/learning/deployment-gate.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';

const templates = 'U00:%x[0,0]\nB';
const corpus = syntheticCorpus(new Random(3), 60, { wordsPerLabel: 40 });
const learner = train(corpus.slice(0, 20), { spec: { templates }, passes: 2 });
const { model } = learner;
const own = writeModel(learner);
const other = writeModel(train(corpus.slice(0, 4), { spec: { templates }, passes: 2 }));

/** The learner's contribution for some sentences, which it does not learn from. */
const contributionOf = (sentences: readonly Sentence[]) =>
  learner.contribute(packMinibatch(sentences.map(each => model.encodeKnown(each))), true);

/** Returns the number of tokens that a model tags wrongly. */
function wrongIn(bytes: Uint8Array, sentences: readonly Sentence[]): number {
  const tagger = new Tagger(readModel(bytes));
  return sentences.reduce((sum, { tokens, tags }) => {
    const found = tagger.tag(tokens);
    return sum + tags!.filter((tag, t) => tag !== found[t]).length;
  }, 0);
}

describe('DeploymentGate', () => {
  it('is open while nothing is deployed', () => {
    const gate = new DeploymentGate({ records: 3, model });
    gate.see(contributionOf(corpus.slice(0, 5)));
    expect([gate.comparison, gate.isOpen]).toEqual([undefined, true]);
  });

  it.each([
    ['worse', other],
    ['the same', own],
  ])('compares with a deployed model that is %s on the last labelled sentences', (_, deployed) => {
    const records = 7;
    const gate = new DeploymentGate({ records, model });
    gate.replace(readModel(deployed));
    const labelled: Sentence[] = [];
    for (let first = 0; first < corpus.length; first += 4) {
      const some = corpus.slice(first, first + 4);
      const { tags, ...bare } = some[1]!;
      gate.see(contributionOf([some[0]!, bare, ...some.slice(2)]));
      labelled.push(some[0]!, ...some.slice(2));
      const last = labelled.slice(-records);
      const [errors, deployedErrors] = [wrongIn(own, last), wrongIn(deployed, last)];
      const tokens = last.reduce((sum, each) => sum + each.tokens.length, 0);
      expect(gate.comparison).toEqual({
        ...{ required: records, records: last.length, tokens, errors, deployedErrors },
      });
      expect(gate.isOpen).toBe(last.length === records && errors <= deployedErrors);
    }
    // A copy of it goes on from its state; with other settings it starts again.
    const { json, arrays } = structuredClone(gate.save());
    for (const [length, known] of [
      [records, records],
      [records + 1, 0],
    ] as const) {
      const resumed = new DeploymentGate({ records: length, model });
      resumed.replace(readModel(deployed));
      resumed.restore({ json, arrays });
      expect(resumed.comparison!.records).toBe(known);
      if (known > 0) expect(resumed.comparison).toEqual(gate.comparison);
    }
    gate.replace(readModel(other));
    expect([gate.comparison!.records, gate.isOpen]).toEqual([0, false]);
  });

  it('counts all tokens as wrong that the deployed model cannot read', () => {
    const gate = new DeploymentGate({ records: 2, model });
    const spec = { templates: 'U0:%x[0,1]', columns: ['form', 'pos'] };
    const given = corpus.map(each => ({ ...each, columns: { pos: each.tokens } }));
    gate.replace(readModel(writeModel(train(given, { spec }))));
    gate.see(contributionOf(corpus.slice(0, 2)));
    const { tokens, deployedErrors } = gate.comparison!;
    expect([deployedErrors, gate.isOpen]).toEqual([tokens, true]);
  });
});
