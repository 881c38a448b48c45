import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Tagger } from '../../src/engine/models/tagger.js';
import type { Question } from '../../src/engine/operators/ask.js';
import { runMetrics } from '../../src/service/telemetry/run-metrics.js';
import { workspace } from '../cli/commands/workspace.js';
import {
  accuracyOf,
  answerOnPage,
  asking,
  labelled,
  records,
  runAsking,
  streamLines,
  tokensOf,
  writeLines,
} from './asked-on-a-stream.js';
import { goldTags } from './sample-session.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const text = asking(
  'ndjson: { files: [records.ndjson] }',
  'ndjson: { files: [answers.ndjson] }',
  'file: questions.ndjson',
);
const questionsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Question);

it('asks on a stream, has the questions answered by annotate, and learns and scores the answers', {
  tags: 'slow',
}, async () => {
  writeLines(at('records.ndjson'), streamLines);
  writeFileSync(at('answers.ndjson'), '');
  const first = await runAsking(folder, text);
  const questions = questionsIn(at('questions.ndjson'));
  const { tokens, asked, sampled, answered } = first.result.questions!;
  expect(asked).toBe(questions.reduce((sum, each) => sum + each.asked.length, 0));
  expect(sampled).toBe(questions.filter(({ drawn }) => drawn).length);
  expect([answered, first.result.questions!.estimates]).toEqual([0, undefined]);
  expect(asked / tokens).toBeGreaterThan(0.1);
  const partly = questions.filter(each => each.asked.length < each.tokens.length);
  expect(partly.length).toBeGreaterThan(10);
  expect(sampled).toBeGreaterThan(10);

  const shown = await answerOnPage(at('questions.ndjson'), at('answers.ndjson'));
  expect(shown).toHaveLength(questions.length);
  // Only what was asked is asked, whatever the strategy.
  for (const { id, asked: onPage } of shown) {
    const question = questions.find(each => each.id === id)!;
    expect(onPage ?? question.tokens.map((_, t) => t)).toEqual(question.asked);
  }
  const answers = readFileSync(at('answers.ndjson'), 'utf8').trim().split('\n');
  for (const line of answers) {
    const { id, tags } = JSON.parse(line) as { id: string; tags: (string | null)[] };
    const question = questions.find(each => each.id === id)!;
    const gold = goldTags(question.tokens);
    expect(tags).toEqual(gold.map((tag, t) => (question.asked.includes(t) ? tag : null)));
  }

  const output = readFileSync(at('out.ndjson'), 'utf8');
  const { result, status } = await runAsking(folder, text, { resume: true });
  expect(result.labels).toMatchObject({ joined: questions.length, doubled: 0, unmatched: 0 });
  expect(result.sentencesSeen).toBe(labelled + questions.length);
  // The tags stay those that were given before the answers.
  expect(readFileSync(at('out.ndjson'), 'utf8')).toBe(output);
  expect(result.questions).toMatchObject({ tokens, asked, sampled, answered: sampled });
  const drawn = new Set(questions.filter(each => each.drawn).map(({ id }) => id!));
  const { all } = result.questions!.estimates!;
  expect(all.accuracy.score).toBeCloseTo(accuracyOf(at('out.ndjson'), drawn), 9);
  const others = Array.from({ length: records - labelled }, (_, i) => `${i + labelled}`);
  const truth = accuracyOf(at('out.ndjson'), new Set(others));
  expect(all.accuracy.low).toBeLessThan(truth);
  expect(all.accuracy.high).toBeGreaterThan(truth);
  expect(all.f1!.score).toBeGreaterThan(0);
  const metrics = await runMetrics(status).metrics();
  expect(metrics).toContain(`tagstream_tokens_asked_total ${asked}`);
  expect(metrics).toContain(`tagstream_sampled_records_answered_total ${sampled}`);
  const value = `tagstream_sampled_accuracy{over="all",value="score"} ${all.accuracy.score! / 100}`;
  expect(metrics).toContain(value);
  // It has learned from them.
  const tagger = Tagger.fromBytes(readFileSync(at('asking.model')));
  const errors = others.flatMap(id => {
    const tokens = tokensOf(Number(id));
    const tags = tagger.tag(tokens);
    return goldTags(tokens).filter((tag, t) => tag !== tags[t]);
  });
  expect((100 * errors.length) / tokens).toBeLessThan((100 - truth) / 2);
});

it('comes to the same answers, model and estimate wherever it is stopped', {
  tags: 'slow',
}, async () => {
  writeLines(at('records.ndjson'), streamLines);
  rmSync(at('checkpoints'), { recursive: true, force: true });
  const names = ['asking.model', 'out.ndjson', 'questions.ndjson'];
  const contents = () => names.map(name => readFileSync(at(name), 'latin1'));
  writeFileSync(at('answers.ndjson'), '');
  await runAsking(folder, text);
  rmSync(at('answers.ndjson'));
  await answerOnPage(at('questions.ndjson'), at('answers.ndjson'));
  rmSync(at('checkpoints'), { recursive: true });
  const whole = await runAsking(folder, text);
  const before = contents();
  expect(whole.result.questions!.answered).toBeGreaterThan(5);
  for (const stops of [[60], [labelled + 5, 200, 300]]) {
    rmSync(at('checkpoints'), { recursive: true });
    for (const [i, stopAt] of stops.entries()) {
      const stopped = await runAsking(folder, text, { resume: i > 0, stopAt });
      expect(stopped.result.stopped).toBe(true);
    }
    const { result } = await runAsking(folder, text, { resume: true });
    expect(contents().map((now, i) => now === before[i])).toEqual([true, true, true]);
    expect(result.questions).toEqual(whole.result.questions);
    expect(result.labels).toEqual(whole.result.labels);
  }
});
