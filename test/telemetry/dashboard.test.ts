import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RunStatus } from '../../src/core/run-status.js';
import { reasons } from '../../src/io/bad-records/reasons.js';
import { seriesOf } from '../../src/telemetry/dashboard/page/panels.js';
import { type Figures, RunHistory } from '../../src/telemetry/dashboard/run-history.js';
import { TelemetryServer } from '../../src/telemetry/telemetry-server.js';
import { LiveCommand } from '../cli/commands/live-command.js';
import { trainHere } from '../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../cli/commands/workspace.js';
import { chromiumFile, startChromium } from '../reports/chromium.js';

describe('the history of a run', () => {
  const history = (most: number, figures = (at: number): Figures => ({ at })) => {
    let at = 0;
    const made = new RunHistory(async () => figures(at), { most });
    const take = async (until: number) => {
      for (; at < until; at += 1000) await made.take(at);
    };
    return { made, take };
  };

  it('covers the whole run, however long it is, with its first and its newest sample', async () => {
    for (const seconds of [1, 5, 8, 9, 100, 1001]) {
      const { made, take } = history(8);
      await take(1000 * seconds);
      const times = made.samples.map(({ at }) => at);
      expect(times.length).toBeLessThanOrEqual(9);
      expect([times[0], times.at(-1)]).toEqual([0, 1000 * (seconds - 1)]);
      const steps = times.slice(1, -1).map((time, i) => time - times[i]!);
      // All the same, and the newest where it falls.
      expect(new Set(steps).size).toBeLessThanOrEqual(1);
      for (const { at, figures } of made.samples) expect(figures).toEqual({ at });
    }
  });

  it('holds the scores of single labels for the newest sample alone', async () => {
    const { made, take } = history(8, () => ({ 'tagstream_progressive_label_f1{PER}': 0.5, a: 1 }));
    await take(3000);
    expect(made.samples.map(({ figures }) => Object.keys(figures).length)).toEqual([1, 1, 2]);
  });
});

describe('lines of a chart', () => {
  it('have a gap where a sample lacks the figure, and names of labels', () => {
    const samples = [
      { at: 0, figures: { 'learner{a}': 1 } },
      { at: 1000, figures: {} },
      { at: 2000, figures: { 'learner{a}': 3, 'learner{b,true}': 4 } },
    ];
    const panel = { title: '', unit: 'count', series: { 'learner{': '' } } as const;
    expect(seriesOf(panel, samples)).toEqual([
      { name: 'a', key: 'learner{a}', values: [1, null, 3] },
      { name: 'b,true', key: 'learner{b,true}', values: [null, null, 4] },
    ]);
  });
});

describe('the dashboard of a run', () => {
  const open: TelemetryServer[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  const start = async (status = new RunStatus(), host?: string) => {
    const server = await TelemetryServer.start(status, {
      port: 0,
      host,
      dashboard: 'train a.yaml',
    });
    open.push(server);
    return server;
  };

  it('is there only where it was asked for', async () => {
    const without = await TelemetryServer.start(new RunStatus(), { port: 0 });
    open.push(without);
    expect((await fetch(`${without.url}/dashboard`)).status).toBe(404);
    const server = await start();
    const answer = await fetch(`${server.url}/dashboard`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(await answer.text()).toContain('<h1>train a.yaml</h1>');
  });

  it('sends what there was, then each sample, and at the end the last figures', async () => {
    const status = new RunStatus();
    status.begin();
    status.sentencesSeen = 7;
    const server = await start(status);
    const events = eventsOf(await fetch(`${server.url}/dashboard/events`));
    const first = (await events.next()).value!;
    expect(first).toMatchObject({ event: 'start', data: { state: 'running' } });
    const sample = (await events.next()).value!;
    expect(sample.data.sample.figures.tagstream_sentences_seen_total).toBe(7);
    status.sentencesSeen = 9;
    const closed = server.close();
    let last = sample;
    for await (const event of events) last = event;
    await closed;
    expect(last).toMatchObject({ event: 'end', data: { state: 'ended' } });
    expect(last.data.sample.figures.tagstream_sentences_seen_total).toBe(9);
  });

  it('refuses pages of others and names of others, as its samples are of records', async () => {
    const { url } = await start();
    const { port } = new URL(url);
    const statusFor = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const path = '/dashboard/events';
        const asked = request({ port, path, headers }, answer => {
          resolve(answer.statusCode!);
          answer.destroy();
        });
        asked.on('error', reject).end();
      });
    expect(await statusFor({ host: `localhost:${port}` })).toBe(200);
    expect(await statusFor({ host: 'evil.example' })).toBe(403);
    const own = { host: `localhost:${port}` };
    expect(await statusFor({ ...own, origin: 'https://evil.example' })).toBe(403);
    expect(await statusFor({ ...own, 'sec-fetch-site': 'cross-site' })).toBe(403);
  });

  it('has room for six viewers, and for others when they have gone', async () => {
    const { url } = await start();
    const controllers = Array.from({ length: 6 }, () => new AbortController());
    for (const { signal } of controllers) {
      expect((await fetch(`${url}/dashboard/events`, { signal })).status).toBe(200);
    }
    expect((await fetch(`${url}/dashboard/events`)).status).toBe(503);
    for (const controller of controllers) controller.abort();
    let status = 503;
    while (status === 503) {
      const answer = await fetch(`${url}/dashboard/events`);
      status = answer.status;
      await answer.body!.cancel();
    }
    expect(status).toBe(200);
  });
});

describe('tagstream serve --dashboard', () => {
  const folder = workspace();

  it('shows requests and their answers', async () => {
    await trainHere(toyPipeline(folder));
    const live = new LiveCommand([
      'serve',
      join(folder, 'toy.model'),
      '--port',
      '0',
      '--dashboard',
    ]);
    await live.until(() => /on http:\S+ /.test(live.stderr));
    const [, dashboard] = /^dashboard: (\S+)$/m.exec(live.stderr)!;
    const [, service] = /on (http:\S+) /.exec(live.stderr)!;
    const asked = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'a b' };
    expect((await fetch(`${service}/v1/tag`, asked)).status).toBe(200);
    const events = eventsOf(await fetch(`${dashboard}/events`));
    let figures: Figures = {};
    for await (const { data } of events) {
      figures = data.sample?.figures ?? figures;
      if (figures['tagstream_serve_answers_total{200}'] === 1) break;
    }
    expect(figures.tagstream_serve_records_total).toBe(1);
    live.child.kill('SIGTERM');
    expect(await live.ended()).toBe(0);
  });
});

describe('the last figures of a command', () => {
  const folder = workspace();
  const broken = '{"broken';

  /** The last figures on the dashboard of a command that reads these records from its standard input. */
  async function lastFigures(words: readonly string[], records: readonly string[]) {
    const live = new LiveCommand([...words, '--dashboard', '--on-bad', 'skip']);
    const reported = /http:[^\s"]+\/dashboard/;
    await live.until(() => reported.test(live.stderr));
    const events = eventsOf(await fetch(`${reported.exec(live.stderr)![0]}/events`));
    live.child.stdin.end(`${records.join('\n')}\n`);
    let last: SentEvent | undefined;
    for await (const event of events) last = event;
    expect(await live.ended()).toBe(0);
    expect(last!.event).toBe('end');
    return { live, figures: last!.data.sample.figures as Figures };
  }

  it('are those that train prints', async () => {
    const pipeline = toyPipeline(folder);
    const set = ['--set', 'source.ndjson.files=["-"]', '--json'];
    const { live, figures } = await lastFigures(
      ['train', pipeline, ...set],
      [...toyRecords(30), broken, broken],
    );
    const result = JSON.parse(live.stdout.trim().split('\n').at(-1)!);
    // Six passes.
    expect(result.sentencesSeen).toBe(180);
    expect(figures).toMatchObject({
      tagstream_sentences_seen_total: result.sentencesSeen,
      'tagstream_bad_records_total{not-json}': result.rejected,
    });
  });

  it('are those of the records and the messages of tag', async () => {
    const { live, figures } = await lastFigures(
      ['tag', '--model', join(folder, 'toy.model'), '--format', 'ndjson', '--log', 'json'],
      [...toyRecords(25, false), broken, '[]', broken],
    );
    const said = live.stderr.trim().split('\n');
    const { badRecords } = said.map(line => JSON.parse(line)).findLast(each => each.badRecords);
    expect(badRecords).toEqual({ 'not-json': 2, 'not-an-object': 1 });
    const tagged = live.stdout.trim().split('\n').length;
    expect(tagged).toBe(25);
    expect(figures).toMatchObject({
      tagstream_records_in_total: tagged + 3,
      'tagstream_bad_records_total{not-json}': badRecords['not-json'],
      'tagstream_bad_records_total{not-an-object}': badRecords['not-an-object'],
    });
  });
});

interface SentEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  readonly data: any;
}

/** The events of an answer, as they come. */
async function* eventsOf(answer: Response): AsyncGenerator<SentEvent, void> {
  let text = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts) {
      const [, event] = /^event: (.*)$/m.exec(part)!;
      yield { event: event!, data: JSON.parse(/^data: (.*)$/m.exec(part)![1]!) };
    }
  }
}

describe.skipIf(chromiumFile === undefined)('the page of the dashboard', () => {
  const folder = workspace();
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    browser = await startChromium();
    writeFileSync(
      join(folder, 'online.yaml'),
      `version: 1
name: online
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1, l2: 0.5 } }
  - evaluate: { progressive: true, report: 2 }
  - tag: {}
train: { corpusSize: 100 }
`,
    );
  });
  afterAll(() => browser?.close());

  const run = (port: string) =>
    new LiveCommand([
      'run',
      join(folder, 'online.yaml'),
      '--dashboard',
      '--metrics',
      port,
      '--json',
    ]);
  const address = async (live: LiveCommand) => {
    const reported = /^dashboard: (\S+)$/m;
    await live.until(() => reported.test(live.stderr));
    return reported.exec(live.stderr)![1]!;
  };

  it('shows the figures of the run, rejected records, and the next run at the same place', async () => {
    const first = run('0');
    const url = await address(first);
    const page = await browser.context.newPage();
    const asked: string[] = [];
    page.on('request', request => asked.push(request.url()));
    await page.goto(url);
    first.child.stdin.write(`${toyRecords(40).join('\n')}\n{"broken\n`);
    await page.locator('#rejected summary').click();
    expect(await page.locator('#rejected pre').textContent()).toBe('{"broken');
    const { meaning, fix } = reasons['not-json'];
    const reason = page.locator('#rejected details[open] .reason');
    expect(await reason.locator('p').allTextContents()).toEqual([meaning, `What to do: ${fix}`]);
    expect(await reason.isVisible()).toBe(true);
    const learned = 'tagstream_sentences_seen_total';
    await page.locator(`dd[data-figure="${learned}"]`, { hasText: /./ }).first().waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      for (const width of [390, 1280]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 844 });
        await page.evaluate(readFileSync(axe, 'utf8'));
        const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    }
    first.child.stdin.end();
    expect(await first.ended()).toBe(0);
    await page.locator('#state', { hasText: 'ended' }).waitFor();
    const result = JSON.parse(first.stdout.trim().split('\n').at(-1)!);
    const seen = page
      .locator('section', { hasText: 'Progress' })
      .locator(`dd[data-figure="${learned}"]`);
    expect(await seen.last().textContent()).toBe(String(result.sentencesSeen));
    const { hostname, origin, port } = new URL(url);
    expect(hostname).toBe('127.0.0.1');
    expect(asked.filter(each => !each.startsWith(origin))).toEqual([]);

    const second = run(port);
    await address(second);
    await page.locator('#state', { hasText: 'running' }).waitFor();
    // Of the new run alone.
    await page.locator('#rejected').waitFor({ state: 'hidden' });
    second.child.stdin.end(`${toyRecords(3).join('\n')}\n`);
    expect(await second.ended()).toBe(0);
    await page.locator('#state', { hasText: 'ended' }).waitFor();
    expect(await seen.last().textContent()).toBe('3');
    await page.close();
  });
});
