import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Plugin } from '../../../src/engine/interfaces/definitions.js';
import { parsePipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();

/** Trains with a plug-in that has these components, on the records of the plug-in's format or NDJSON. */
async function training(
  made: Record<string, unknown>,
  stages: { loss?: string; optimize?: string; template?: string; source?: string },
): Promise<unknown> {
  const {
    loss = 'log',
    optimize = 'sgd: {}',
    template = 'U:%x[0,0]',
    source = 'ndjson: { files: [some.ndjson] }',
  } = stages;
  writeFileSync(join(folder, 'some.ndjson'), '{"tokens":["a","b"],"tags":["X","Y"]}\n');
  const text = `version: 1
name: a
source: { ${source} }
stages:
  - featurize: { templates: ["${template}"] }
  - batch
  - contribute: { loss: ${loss} }
  - optimize: { ${optimize} }
train: { epochs: 1 }
deadLetters: { default: fail }
`;
  const plugin = {
    name: 'mine',
    components: [{ summary: 'a thing', ...made }],
  } as unknown as Plugin;
  try {
    const pipeline = parsePipeline(text, join(folder, 'a.yaml'), { use: [plugin] });
    await runPipeline(pipeline, { model: join(folder, 'a.model') });
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

/** What every part of a component does that is at fault. */
const fail = () => {
  throw new Error('oh no');
};

const whole = {
  prepare() {},
  apply() {},
  deploy() {},
  save: () => ({ json: {}, arrays: {} }),
  restore() {},
  stepSize: 1,
};

describe('a component that fails at work is named', () => {
  it.each([
    [
      'a loss whose create throws',
      fail,
      'config',
      'the loss mean of the plug-in mine threw: oh no',
    ],
    [
      'a loss that is made of nothing',
      () => 7,
      'config',
      'create of the loss mean of the plug-in mine did not return a function',
    ],
    [
      'a loss that throws an error without a message, for another reason',
      () => () => {
        throw new Error('', { cause: new AggregateError([new TypeError('no weights')]) });
      },
      'stage',
      'the loss mean of the plug-in mine threw: Error: AggregateError: no weights',
    ],
    [
      'a loss that throws no error',
      () => () => {
        throw { reason: 'no weights' };
      },
      'stage',
      'the loss mean of the plug-in mine threw: {"reason":"no weights"}',
    ],
    ['a loss that throws', () => fail, 'stage', 'the loss mean of the plug-in mine threw: oh no'],
    [
      'a loss that returns no number',
      () => () => 'much',
      'stage',
      'returned a string for a sentence',
    ],
  ])('%s', async (_, create, code, problem) => {
    const thrown = await training(
      { kind: 'loss', name: 'mean', smooth: true, create },
      { loss: 'mean' },
    );
    expect(thrown).toMatchObject({ code, problem: expect.stringContaining(problem) });
  });

  it.each([
    [
      'an optimizer whose create throws',
      fail,
      'config',
      'the optimizer slow of the plug-in mine threw: oh no',
    ],
    [
      'an optimizer that lacks something',
      () => ({ apply() {} }),
      'config',
      'did not return an object with prepare, deploy, save, restore, stepSize',
    ],
    [
      'an optimizer that throws',
      () => ({ ...whole, apply: fail }),
      'stage',
      'the optimizer slow of the plug-in mine threw: oh no',
    ],
  ])('%s', async (_, create, code, problem) => {
    const thrown = await training(
      { kind: 'optimizer', name: 'slow', create },
      { optimize: 'slow: {}' },
    );
    expect(thrown).toMatchObject({ code, problem: expect.stringContaining(problem) });
  });

  it.each([
    [
      'a token function that throws',
      () => fail,
      'the token function odd of the plug-in mine threw: oh no',
    ],
    ['a token function that returns no text', () => () => 3, 'returned a number for the token "a"'],
    [
      'a token function that is none',
      () => 3,
      'create of the token function odd of the plug-in mine did not return',
    ],
  ])('%s', async (_, create, problem) => {
    const made = { kind: 'token function', name: 'odd', create };
    const thrown = await training(made, { template: 'U:%odd[0,0]' });
    expect(thrown).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  it.each([
    [
      'a codec whose create throws',
      fail,
      'config',
      'the codec words of the plug-in mine threw: oh no',
    ],
    [
      'a codec that lacks something',
      () => ({ parse: fail }),
      'config',
      'did not return an object with parse and write',
    ],
    [
      'a codec that throws',
      () => ({ parse: fail, write: fail }),
      'wrong-shape',
      'the codec words of the plug-in mine threw: oh no',
    ],
    [
      'a codec that reads nothing',
      () => ({ parse: () => undefined, write: fail }),
      'wrong-shape',
      'returned a record without text or tokens',
    ],
    [
      'a codec that reads no texts',
      () => ({ parse: () => ({ tokens: [1] }), write: fail }),
      'wrong-shape',
      'returned tokens that are not a list of strings',
    ],
    [
      'a codec whose tags are too few',
      () => ({ parse: () => ({ tokens: ['a'], tags: [] }), write: fail }),
      'length-mismatch',
      'returned 1 token but 0 tags',
    ],
  ])('%s', async (_, create, code, problem) => {
    const made = { kind: 'codec', name: 'words', records: 'lines', create };
    const thrown = await training(made, { source: 'words: { files: [some.ndjson] }' });
    expect(thrown).toMatchObject({ code, problem: expect.stringContaining(problem) });
  });
});

describe('a transport that fails at work is named', () => {
  const place = (read: unknown) => () => ({ name: 'place', read });
  it.each([
    ['whose create throws', fail, 'config', 'the transport far of the plug-in mine threw: oh no'],
    [
      'that brings nothing',
      () => ({}),
      'config',
      'cannot receive messages: it has no function read',
    ],
    ['that throws', place(fail), 'file', 'the transport far of the plug-in mine threw: oh no'],
    [
      'that throws between messages',
      place(function* () {
        yield { bytes: '{"tokens":["a"],"tags":["X"]}' };
        fail();
      }),
      'file',
      'the transport far of the plug-in mine threw: oh no',
    ],
    [
      'that brings what is no message',
      place(() => ['{}']),
      'file',
      'the transport far of the plug-in mine: a message has no bytes',
    ],
    [
      'whose message cannot be acknowledged',
      place(() => [{ bytes: '{"tokens":["a"],"tags":["X"]}', ack: fail }]),
      'file',
      'the transport far of the plug-in mine threw: oh no',
    ],
  ])('%s', async (_, create, code, problem) => {
    const made = { kind: 'transport', name: 'far', create };
    const thrown = await training(made, { source: 'ndjson: { from: { far: {} } }' });
    expect(thrown).toMatchObject({ code, problem: expect.stringContaining(problem) });
  });
});
