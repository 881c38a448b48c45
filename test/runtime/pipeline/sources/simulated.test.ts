import { describe, expect, it } from 'vitest';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';

function pipeline(source: string, test = '{ simulated: { sequences: 400, seed: 1000 } }') {
  return parsePipeline(
    `version: 1
name: simulated
source: { simulated: ${source} }
stages:
  - tokenize: { tokenizer: characters, sentences: false }
  - featurize: { templates: ["U:%x[0,0]", "B:%x[0,0]"] }
  - batch: {}
  - contribute: { loss: log }
  - optimize: { bcd: { l1: 0.5 } }
train: { epochs: 30 }
test: ${test}
`,
    'simulated.yaml',
  );
}

async function accuracy(source: string, test?: string): Promise<number> {
  const deadLetters = new DeadLetters({ policy: 'fail' });
  const { test: scores } = await runPipeline(pipeline(source, test), { deadLetters });
  return scores!.accuracy!;
}

describe('the simulated source', () => {
  it('is learned from and scored on, where each reading is the same', async () => {
    const first = await accuracy('{ sequences: 60, seed: 3 }');
    expect(first).toBeGreaterThan(70);
    expect(first).toBeLessThan(92);
    expect(await accuracy('{ sequences: 60, seed: 3 }')).toBe(first);
  });

  it('can be known for certain where nothing is left to chance', { tags: 'slow' }, async () => {
    const sure = 'emission: 1, transition: 1, sequences: 200, length: 2';
    // Labels 5 and 6 look the same at the first token only; the source can be divided as others can.
    const split = '{ simulated: { sequences: 200, length: 2, emission: 1, limit: 150 } }';
    const first = await accuracy(`{ ${sure}, split: { every: 2, take: [0] } }`, split);
    expect(first).toBeGreaterThan(75);
  });
});
