import { expect, it } from 'vitest';
import { parsePipeline } from '../../../../src/index.js';

const load = (stage: string, more: string) =>
  parsePipeline(
    `version: 1
name: sent
source: { ndjson: { files: ['-'] } }
stages: [featurize: { model: toy.model }, batch, tag${stage}]
sink: { to: { nats: { servers: "nats://127.0.0.1:1", stream: OUT } } }
${more}`,
    'sent.yaml',
  );

it('results are sent as messages, with bad records in a file', () => {
  expect(load('', 'deadLetters: { default: dead-letter, file: bad.ndjson }').name).toBe('sent');
});

it.each([
  [', checkpoint: { dir: steps, sentences: 9 }', '', 'sent messages cannot be undone'],
  ['', 'deadLetters: { default: pass }', 'bad records cannot be sent as messages'],
])('messages that are sent go without %s%s', (stage, more, problem) => {
  expect(() => load(stage, more)).toThrow(problem);
});
