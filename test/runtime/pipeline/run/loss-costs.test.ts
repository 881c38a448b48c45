import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExponentialLoss } from '../../../../src/engine/losses/exponential-loss.js';
import { loadTagger } from '../../../../src/runtime/io/load-tagger.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);

/** Rose is a name two times in five, and nothing around it shows which; Anna is one always. */
const records = Array.from({ length: 100 }, (_, i) => {
  const tags = [i % 5 < 2 ? 'B-PER' : 'O', 'O', 'B-PER', 'I-PER'];
  return JSON.stringify({ id: `${i}`, tokens: ['Rose', 'met', 'Anna', 'Berg'], tags });
});
writeFileSync(path('corpus.ndjson'), `${records.join('\n')}\n`);

function pipeline(loss: string, optimizer = 'sgd: { eta0: 0.2, l2: 0.1 }', train = 'epochs: 4') {
  const text = `version: 1
name: costs
source: { ndjson: { files: [corpus.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { ${loss} }
  - optimize: { ${optimizer} }
train: { ${train} }
model: costs.model
`;
  return parsePipeline(text, path('costs.yaml'));
}

/** The model file that a run writes. */
async function modelOf(...given: Parameters<typeof pipeline>): Promise<string> {
  await runPipeline(pipeline(...given), {});
  return readFileSync(path('costs.model')).toString('base64');
}

/** What a model makes of Rose. */
function tagOfRose(): string {
  return loadTagger(path('costs.model')).tag(['Rose', 'met', 'Anna', 'Berg'])[0]!;
}

describe('what wrong labels cost', () => {
  it('makes another model, and that of the log loss where it is nothing', async () => {
    const log = await modelOf('loss: log');
    expect(await modelOf('loss: softmax-margin, cost: 0')).toBe(log);
    const usual = await modelOf('loss: softmax-margin');
    expect(usual).not.toBe(log);
    expect(await modelOf('loss: softmax-margin, cost: 1')).toBe(usual);
    expect(await modelOf('loss: softmax-margin, cost: 1, missCost: 1')).toBe(usual);
    expect(await modelOf('loss: softmax-margin, cost: 2')).not.toBe(usual);
  });

  it.each([
    ['loss: log', 'O'],
    ['loss: softmax-margin, cost: 2', 'O'],
    ['loss: softmax-margin, cost: 0, missCost: 4', 'B-PER'],
    ['loss: softmax-margin, cost: 4, missCost: 0', 'O'],
  ])(
    'decides what is tagged where nothing else does, of %s: %s',
    { tags: 'slow' },
    async (loss, tag) => {
      await modelOf(loss, 'lbfgs: { l2: 0.1 }', 'epochs: 40');
      expect(tagOfRose()).toBe(tag);
    },
  );

  it.each([
    ['an online optimizer', 'sgd: { eta0: 0.2, l2: 0.1 }'],
    ['a batch optimizer', 'lbfgs: { l2: 0.1 }'],
  ])('is known to all threads of %s', { tags: 'slow' }, async (_, optimizer) => {
    const loss = 'loss: softmax-margin, cost: 0.5, missCost: 3';
    const alone = await modelOf(loss, optimizer);
    expect(await modelOf(loss, optimizer, 'epochs: 4, workers: 2')).toBe(alone);
    expect(await modelOf('loss: softmax-margin, cost: 0.5', optimizer)).not.toBe(alone);
  });

  it.each([
    ['loss: log, cost: 1', /costs\.yaml:7:\d+: .*cost: .*options of softmax-margin/],
    ['loss: hinge, missCost: 1', /options of softmax-margin/],
    ['missCost: 1', /options of softmax-margin/],
    ['loss: softmax-margin, cost: -1', /cost: .*0/],
    ['loss: softmax-margin, cost: 1001', /cost: .*1000/],
    ['loss: softmax-margin, misscost: 1', /unknown key "misscost"/],
  ])('is refused: %s', { tags: 'slow' }, (loss, message) => {
    expect(() => pipeline(loss)).toThrow(message);
  });
});

describe('the bound of an exponential loss', () => {
  it.each(['exponential', 'pointwise-exponential'])(
    'makes another model: %s',
    { tags: 'slow' },
    async name => {
      const usual = await modelOf(`loss: ${name}`);
      expect(await modelOf(`loss: { ${name}: { bound: 10 } }`)).toBe(usual);
      expect(await modelOf(`loss: { ${name}: { bound: 0.5 } }`)).not.toBe(usual);
      const batch = 'lbfgs: { l2: 0.1 }';
      // No sentence is that bad once training is over.
      await modelOf(`loss: { ${name}: { bound: 300 } }`, batch, 'epochs: 200');
      expect(tagOfRose()).toBe('O');
    },
  );

  it('is refused where float32 cannot hold the weights, and above 300', {
    tags: 'slow',
  }, async () => {
    await expect(modelOf('loss: { exponential: { bound: 61 } }')).rejects.toThrow(
      'the bound 61 of an exponential loss is too large for float32',
    );
    expect(() => pipeline('loss: { exponential: { bound: 301 } }')).toThrow('bound');
    expect(() => new ExponentialLoss({ bound: 0 })).toThrow('0 is not a valid bound');
  });
});
