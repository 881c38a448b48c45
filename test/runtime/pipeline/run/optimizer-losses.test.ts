import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitsScorer, losses } from '../../../../src/engine/losses/losses.js';
import { optimizers } from '../../../../src/engine/optimizers/optimizers.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const file = toyPipeline(folder, 20);

async function train(optimizer: string, loss: string) {
  const set = [`stages.4.optimize={${optimizer}: {}}`, `stages.contribute.loss=${loss}`];
  return runPipeline(loadPipeline(file, { set }), { model: join(folder, 'toy.model') });
}

/** Those that train linear scores; for the others see the tests of their scorers. */
const ofLinear = optimizers.filter(
  ({ losses: own }) =>
    own === undefined || losses.some(loss => own.includes(loss.name) && fitsScorer(loss, 'linear')),
);

it('are all but those that count', () => {
  const others = optimizers.filter(optimizer => !ofLinear.includes(optimizer));
  expect(others.map(({ name }) => name)).toEqual(['counts', 'stepwise-em']);
});

describe.each(ofLinear)('$name', ({ name, losses }) => {
  const takesLog = losses?.includes('log') ?? true;
  const [fit, unfit] = takesLog ? ['log', 'perceptron'] : ['perceptron', 'log'];

  it(`learns from the loss ${fit}`, async () => {
    expect((await train(name, fit)).sentencesSeen).toBe(120);
  });

  it(`is refused with the loss ${unfit}, which is said with the loss to use`, async () => {
    const refusal = await train(name, unfit).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'config',
      message: expect.stringContaining(`${name} does not support the loss ${unfit}`),
      fix: expect.stringMatching(new RegExp(`^use the loss ${fit}\\b`)),
    });
  });
});
