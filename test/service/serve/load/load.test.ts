import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { versionId } from '../../../../src/engine/interfaces/model-address.js';
import { contentDigest } from '../../../../src/formats/files/node-parts.js';
import { LiveCommand } from '../../../cli/commands/live-command.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { attackCount, longForm, reportCounts } from '../../../faults/long-form.js';
import { printSeed, randomOf } from '../../../faults/seed.js';
import { slowModel, writeModels } from '../served.js';
import { closedLoop, type LoadAnswer, openLoop, quantile } from './load.js';

printSeed('a service under load');
const folder = workspace();
let files: ReturnType<typeof writeModels>;

beforeAll(() => {
  files = writeModels(folder);
});

/** `tagstream serve`, listening. */
async function served(...words: string[]): Promise<{ command: LiveCommand; url: string }> {
  const command = new LiveCommand(['serve', ...words, '--port', '0', '--threads', '1']);
  const listens = /serving .* on (http:\/\/[\d.:]+) /;
  await command.until(() => listens.test(command.stderr));
  return { command, url: listens.exec(command.stderr)![1]! };
}

/** Bytes of memory that a process has. */
function memoryOf({ child }: LiveCommand): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

const texts = ['Anna lives in Oslo.', 'Ben saw New York', 'the dog saw Anna', ''];
const records = Array.from({ length: 12 }, (_, i) => ({ id: i, text: texts[i % 4] }));
const lines = records.map(each => `${JSON.stringify(each)}\n`).join('');

/** What each version answers, by its id. */
async function answersOf(...models: string[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const model of models) {
    const { stdout } = await tagstream(['tag', '--model', model], { stdin: lines });
    answers.set(versionId(contentDigest([readFileSync(model)])), stdout);
  }
  return answers;
}

describe('tagstream serve under load', () => {
  it('loses nothing while its model is replaced, and each answer is wholly of one version', {
    tags: 'slow',
  }, async () => {
    const reloads = attackCount(8, 1000);
    const file = join(folder, 'it.model');
    copyFileSync(files.names, file);
    const { command, url } = await served(`it=${file}`, '--max-wait', '60000');
    const expected = await answersOf(files.names, files.pets);
    expect(new Set(expected.values()).size).toBe(2);
    const counts = { answers: 0, streams: 0, lost: 0, mixed: 0 };
    const seen = new Set<string>();
    let isOver = false;
    const look = ({ status, version = '', text }: LoadAnswer) => {
      counts.answers += 1;
      seen.add(version);
      if (status !== 200) counts.lost += 1;
      else if (text !== expected.get(version)) counts.mixed += 1;
      return !isOver;
    };
    const request = { url: `${url}/v1/tag`, body: lines, type: 'application/x-ndjson' };
    // With a time each is a whole, without one a stream.
    const whole = closedLoop({ ...request, url: `${request.url}?timeout=30000` }, 6, look);
    const streams = closedLoop(request, 2, answer => {
      counts.streams += 1;
      return look(answer);
    });
    const versions = () => command.stderr.split('is ready\n').length - 1;
    await command.until(() => counts.answers > 20);
    for (let i = 0; i < reloads; i += 1) {
      const before = versions();
      copyFileSync(i % 2 === 0 ? files.pets : files.names, `${file}.new`);
      renameSync(`${file}.new`, file);
      command.child.kill('SIGHUP');
      await command.until(() => versions() > before);
      const answered = counts.answers;
      await command.until(() => counts.answers > answered + 1);
    }
    isOver = true;
    await Promise.all([whole, streams]);
    command.child.kill('SIGTERM');
    expect(await command.ended()).toBe(0);
    reportCounts('reloads under load', { reloads, ...counts });
    expect([counts.lost, counts.mixed, seen.size]).toEqual([0, 0, 2]);
    expect(counts.answers).toBeGreaterThan(2 * reloads);
  });

  it('answers all requests that it has accepted when it is asked to end', {
    tags: 'slow',
  }, async () => {
    const kills = attackCount(2, 40);
    const random = randomOf(48);
    const counts = { kills, answers: 0, refused: 0, lost: 0, wrong: 0 };
    const [expected] = (await answersOf(files.names)).values();
    const errors = new Set<string>();
    for (let i = 0; i < kills; i += 1) {
      const { command, url } = await served(`it=${files.names}`, '--max-wait', '60000');
      const request = {
        url: `${url}/v1/tag?timeout=30000`,
        body: lines,
        type: 'application/x-ndjson',
      };
      let answers = 0;
      const loop = closedLoop(request, 24, ({ status, text, error, isLast }) => {
        if (status === 200) answers += 1;
        if (error === 'ECONNREFUSED') counts.refused += 1;
        else if (status !== 200) {
          counts.lost += 1;
          errors.add(`${status} ${error} ${text}`);
        } else if (text !== expected) counts.wrong += 1;
        // Half of the clients are told and go; others connect again until there is nobody.
        return status === 200 && !(isLast && answers % 2 === 0);
      });
      await command.until(() => answers > 48);
      await pause(random.below(200));
      command.child.kill('SIGTERM');
      await loop;
      expect(await command.ended()).toBe(0);
      counts.answers += answers;
    }
    reportCounts('ends under load', counts);
    expect([...errors]).toEqual([]);
    expect(counts.wrong).toBe(0);
  });

  it('at ten times its capacity refuses the rest at once, and is as fast as before afterwards', {
    tags: 'slow',
  }, async () => {
    const seconds = longForm ? 60 : 3;
    const model = join(folder, 'slow.model');
    writeFileSync(model, slowModel());
    const { command, url } = await served(`it=${model}`);
    const request = {
      url: `${url}/v1/tag?decoding=posterior&output=tags`,
      body: JSON.stringify({ tokens: Array.from({ length: 200 }, (_, i) => `w${i}`) }),
      type: 'application/json',
    };
    const capacity = async () => {
      let answers = 0;
      const begun = performance.now();
      await closedLoop(request, 1, ({ status }) => {
        expect(status).toBe(200);
        answers += 1;
        return performance.now() - begun < 1500;
      });
      return (1000 * answers) / (performance.now() - begun);
    };
    await capacity();
    const before = await capacity();
    const memory = { before: memoryOf(command), most: 0 };
    const watch = setInterval(() => {
      memory.most = Math.max(memory.most, memoryOf(command));
    }, 50);
    const answers = await openLoop(request, { rate: 10 * before, seconds });
    clearInterval(watch);
    const after = await capacity();
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 503);
    const p99 = (some: readonly LoadAnswer[]) =>
      Math.round(
        quantile(
          some.map(({ milliseconds }) => milliseconds),
          0.99,
        ),
      );
    reportCounts('ten times the capacity', {
      ...{ 'a second before': Math.round(before), after: Math.round(after), sent: answers.length },
      ...{ taken: taken.length, 'p99 ms': p99(taken), refused: refused.length },
      ...{
        'p99 ms of refusals': p99(refused),
        'MB more': Math.round((memory.most - memory.before) / 1e6),
      },
    });
    expect(taken.length + refused.length).toBe(answers.length);
    expect(
      quantile(
        refused.map(({ milliseconds }) => milliseconds),
        0.5,
      ),
    ).toBeLessThan(200);
    expect(refused.every(({ retryAfter = 0 }) => retryAfter >= 1)).toBe(true);
    expect(taken.length).toBeGreaterThan((before * seconds) / 10);
    expect(refused.length).toBeGreaterThan(answers.length / 3);
    expect(memory.most - memory.before).toBeLessThan(256e6);
    expect(after).toBeGreaterThan(before / 3);
    expect(command.child.exitCode).toBe(null);
    command.child.kill('SIGTERM');
    expect(await command.ended()).toBe(0);
  });

  it('needs no more memory for a long stream than for a short one', { tags: 'slow' }, async () => {
    const sentences = attackCount(60_000, 10_000_000);
    const { command, url } = await served(`it=${files.names}`);
    const block = lines.repeat(50);
    const perBlock = 50 * records.length;
    let answered = 0;
    const samples: number[] = [];
    const sent = httpRequest(`${url}/v1/tag`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    const done = new Promise<void>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', response => {
        expect(response.statusCode).toBe(200);
        response.on('data', (part: Buffer) => {
          for (const byte of part) if (byte === 10) answered += 1;
        });
        response.on('error', reject);
        response.on('end', resolve);
      });
    });
    for (let i = 0; i < sentences; i += perBlock) {
      if (!sent.write(block)) await new Promise(resolve => sent.once('drain', resolve));
      samples.push(memoryOf(command));
    }
    sent.end();
    await done;
    command.child.kill('SIGTERM');
    expect(await command.ended()).toBe(0);
    const mostIn = (from: number, to: number) =>
      Math.max(...samples.slice(from * samples.length, to * samples.length));
    const growth = mostIn(0.7, 1) - mostIn(0.2, 0.5);
    const tenths = Array.from({ length: 10 }, (_, i) => mostIn(i / 10, (i + 1) / 10));
    reportCounts('a long stream', {
      ...{ sentences: answered, 'MB more': Math.round(growth / 1e6) },
      'MB in each tenth': tenths.map(bytes => Math.round(bytes / 1e6)).join(' '),
    });
    expect(answered).toBe(Math.ceil(sentences / perBlock) * perBlock);
    expect(growth).toBeLessThan(32e6);
  });
});
