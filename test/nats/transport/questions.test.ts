// @module-tag slow
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Question } from '../../../src/engine/operators/ask.js';
import {
  answerOnPage,
  asking,
  runAsking,
  streamLines,
  writeLines,
} from '../../annotation/asked-on-a-stream.js';
import { workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../server.js';
import { StreamClient } from '../stream-client.js';

describeNats('questions as messages', () => {
  const servers = natsServers();
  const folder = workspace();
  const at = (name: string) => join(folder, name);
  let client: StreamClient;

  beforeAll(async () => {
    client = await StreamClient.open(servers().url);
  });
  afterAll(() => client.close());

  it('are stored once each, stopped and resumed too, and their answers come back by a stream', async () => {
    for (const name of ['RECORDS', 'ANSWERS']) await client.create(name, name.toLowerCase());
    // Results and questions may go to the same stream.
    await client.create('QUESTIONS', 'questions.>');
    await client.put('records', streamLines);
    writeLines(at('records.ndjson'), streamLines);
    const nats = (stream: string) =>
      `ndjson: { from: { nats: { servers: "${servers().url}", stream: ${stream}, follow: false } } }`;
    const to = `to: { nats: { servers: "${servers().url}", subject: "questions.{label}", giveUp: 20 } }`;
    const text = asking(nats('RECORDS'), nats('ANSWERS'), to);
    const inFile = asking(
      'ndjson: { files: [records.ndjson] }',
      nats('ANSWERS'),
      'file: questions.ndjson',
    );
    await runAsking(folder, inFile);
    const expected = readFileSync(at('questions.ndjson'), 'utf8').trim().split('\n').sort();
    rmSync(at('checkpoints'), { recursive: true });

    for (const [i, stopAt] of [40, 200, 350].entries()) {
      const { result } = await runAsking(folder, text, { resume: i > 0, stopAt });
      expect(result.stopped).toBe(true);
    }
    const first = await runAsking(folder, text, { resume: true });
    const stored = await client.all('QUESTIONS');
    expect(stored.map(message => message.text).sort()).toEqual(expected);
    for (const { subject, text: line, id } of stored) {
      const { predicted } = JSON.parse(line) as Question;
      expect(id).toMatch(/^question of nats RECORDS#\d+:/);
      const types = new Set(
        predicted.map(tag => (tag === 'O' || tag === null ? 'none' : tag.slice(2))),
      );
      expect(types).toContain(subject.split('.')[1]);
    }

    writeLines(at('queue.ndjson'), expected);
    await answerOnPage(at('queue.ndjson'), at('answers.ndjson'));
    await client.put('answers', readFileSync(at('answers.ndjson'), 'utf8').trim().split('\n'));
    const { result } = await runAsking(folder, text, { resume: true });
    expect(result.labels).toMatchObject({ joined: expected.length, doubled: 0, unmatched: 0 });
    const { sampled, answered } = result.questions!;
    expect(sampled).toBe(first.result.questions!.sampled);
    expect(answered).toBe(sampled);
    expect(await client.all('QUESTIONS')).toHaveLength(expected.length);
  });

  it('wait in checkpoints while the servers are away, and are sent by the run that resumes', async () => {
    await client.create('LATER', 'later');
    rmSync(at('checkpoints'), { recursive: true, force: true });
    const to = `to: { nats: { servers: "${servers().url}", subject: later, giveUp: 2 } }`;
    const text = asking(
      'ndjson: { files: [records.ndjson] }',
      'ndjson: { files: [none.ndjson] }',
      to,
    );
    writeLines(at('none.ndjson'), []);
    let killing: Promise<void> | undefined;
    const ended = runAsking(folder, text, {
      onStep: step => {
        if (step >= 100) killing ??= servers().kill();
      },
    });
    await expect(ended).rejects.toThrow(/could not send to later/);
    await killing;
    await servers().restart();
    await client.ready();
    const before = (await client.all('LATER')).length;
    const { result } = await runAsking(folder, text, { resume: true });
    const stored = await client.all('LATER');
    expect(stored.length).toBeGreaterThan(before);
    const asked = stored.map(message => (JSON.parse(message.text) as Question).asked.length);
    expect(asked.reduce((sum, each) => sum + each, 0)).toBe(result.questions!.asked);
    expect(new Set(stored.map(({ text: line }) => line)).size).toBe(stored.length);
  });
});
