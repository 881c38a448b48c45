import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { figureText } from '../../src/engine/core/figures.js';
import { Random } from '../../src/engine/core/random.js';
import type {
  PassRecord,
  TrainingHistory,
} from '../../src/engine/models/learning/training-history.js';
import { StreamCourse, type StreamPoint } from '../../src/reports/stream/stream-course.js';
import { streamPage } from '../../src/reports/stream/stream-page.js';
import { trainingPage } from '../../src/reports/stream/training-page.js';
import { loadPipeline } from '../../src/runtime/pipeline/loading/load-pipeline.js';
import { observedRun } from '../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream } from '../cli/commands/run-command.js';
import { workspace } from '../cli/commands/workspace.js';

const folder = workspace();

/** Sentences whose tags follow from their words, until they are renamed in the middle. */
function records(count: number): string {
  const random = new Random(3);
  const lines = Array.from({ length: count }, (_, i) => {
    const tokens = Array.from({ length: 5 }, () => `w${random.below(i < 100 ? 30 : 40)}`);
    const shift = i < count / 2 ? 0 : 1;
    const tags = tokens.map(token => ['O', 'B-X', 'B-<Y>'][(Number(token.slice(1)) + shift) % 3]);
    return JSON.stringify({ tokens, tags });
  });
  return `${lines.join('\n')}\n`;
}

const pipeline = `version: 1
name: changing
source: { ndjson: { files: [stream.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { adagrad: { eta0: 0.1, l2: 0.05 } }
  - evaluate: { progressive: true, window: 200, halfLife: 100, report: 250, drift: { detector: ddm, answer: reset } }
train: { corpusSize: 1000 }
model: stream.model
`;

writeFileSync(join(folder, 'stream.ndjson'), records(3000));
writeFileSync(join(folder, 'stream.yaml'), pipeline);

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly sentencesSeen: number;
  readonly scores?: StreamPoint['all'];
  readonly recent: StreamPoint['all'];
  readonly decayed: StreamPoint['all'];
  readonly details?: StreamPoint['details'];
  readonly code?: string;
}

/** The rows of the table with a heading, as text. */
function rowsOf(page: string, heading: string): string[][] {
  const section = page.slice(page.indexOf(`>${heading}</h2>`)).split('</section>')[0]!;
  const body = section.slice(section.indexOf('<tbody>'), section.indexOf('</tbody>'));
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell!),
  );
}

describe('run --html', () => {
  it('shows the figures of the log, and what happened', { tags: 'slow' }, async () => {
    const given = ['run', 'stream.yaml', '--html', 'stream.html', '--log', 'json'];
    const { code, stderr } = await tagstream(given, { cwd: folder });
    expect(code, stderr).toBe(0);
    const lines = stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Line);
    const reported = lines.filter(({ details }) => details !== undefined);
    expect(reported).toHaveLength(12);
    const page = readFileSync(join(folder, 'stream.html'), 'utf8');

    expect(rowsOf(page, 'All figures')).toEqual(
      reported.map(({ sentencesSeen, scores, recent, decayed, details }) => [
        sentencesSeen.toLocaleString('en'),
        ...[recent, decayed, scores!].flatMap(of => [figureText(of.accuracy), figureText(of.f1)]),
        figureText(details!.unseen.accuracy),
        ...(['word', 'last', 'majority'] as const).map(name =>
          figureText(details!.baselines[name]),
        ),
      ]),
    );
    expect(rowsOf(page, 'Labels')).toEqual(
      reported
        .at(-1)!
        .details!.labels.map(({ label, precision, recall, f1 }) => [
          label.replace('<', '&lt;').replace('>', '&gt;'),
          ...[precision, recall, f1].map(share => figureText(share)),
        ]),
    );
    const warnings = lines.filter(({ code }) => code === 'drift');
    expect(warnings.length).toBeGreaterThan(0);
    for (const [i, { msg }] of warnings.entries()) {
      expect(page).toContain(`${msg.replace(/^.*?: /, '')}`.slice(0, 30));
      expect(page).toContain(`<g class="mark"><title>${i + 1}: `);
    }
    expect(page).not.toContain('<Y>');
    expect(page).not.toContain('<script');
  });

  it('is refused where nothing is scored over time, and for a file of the run', async () => {
    writeFileSync(join(folder, 'plain.yaml'), pipeline.replace(/ {2}- evaluate.*\n/, ''));
    const run = (...given: string[]) => tagstream(['run', ...given], { cwd: folder });
    const plain = await run('plain.yaml', '--html', 'plain.html');
    expect([plain.code, plain.stderr]).toEqual([
      2,
      expect.stringMatching(/needs a pipeline that trains in passes, or scores a stream over time/),
    ]);
    const same = await run('stream.yaml', '--html', 'stream.model');
    expect([same.code, same.stderr]).toEqual([2, expect.stringMatching(/the page/)]);
  });
});

/** The passes that a pipeline reports. */
async function passesOf(file: string): Promise<readonly PassRecord[]> {
  let passes: readonly PassRecord[] = [];
  const pipeline = loadPipeline(join(folder, file), { set: ['model=other.model'] });
  const observer = {
    async onTrainee({ history }: { readonly history: TrainingHistory }) {
      passes = history.passes;
    },
  };
  await observedRun(pipeline, {}, { observer });
  return passes;
}

describe('train --html', () => {
  const passes = `version: 1
name: passes
source: { ndjson: { files: [stream.ndjson], limit: 200 } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: perceptron }
  - optimize: { perceptron: {} }
  - evaluate: { on: { ndjson: { files: [stream.ndjson], limit: 50 } }, every: 2, rank: 10 }
  - checkpoint: { dir: checkpoints, every: epoch }
train: { epochs: 6 }
model: passes.model
`;
  writeFileSync(join(folder, 'passes.yaml'), passes);
  const run = (...given: string[]) =>
    tagstream(['train', 'passes.yaml', '--html', 'passes.html', ...given], { cwd: folder });
  const page = () => readFileSync(join(folder, 'passes.html'), 'utf8');

  it('shows losses, mistakes, margins and scores of all passes, those before a resume too', {
    tags: 'slow',
  }, async () => {
    expect(await run()).toMatchObject({ code: 0 });
    const whole = page();
    const records = await passesOf('passes.yaml');
    expect(rowsOf(whole, 'Passes')).toEqual(
      records.map(({ pass, loss, margin, scores }) => [
        ...[String(pass), loss.toFixed(4), String(margin!.mistakes), margin!.smallest.toFixed(3)],
        ...[scores?.accuracy?.toFixed(2) ?? '', scores?.f1?.toFixed(2) ?? ''],
        scores?.rank?.mean?.toFixed(3) ?? '',
      ]),
    );
    expect(whole.match(/<figcaption>[^<]+/g)!.map(text => text.slice(12))).toEqual([
      ...['Loss per token', 'Mistakes', 'Smallest margin of a sentence'],
      ...['Held-out scores', 'Held-out rank loss'],
    ]);
    expect(whole).not.toContain('<script');
    expect(await run('--set', 'train.epochs=3', '--force')).toMatchObject({ code: 0 });
    expect(page()).not.toBe(whole);
    expect(await run('--resume')).toMatchObject({ code: 0 });
    expect(page()).toBe(whole);
  });

  it('shows the objective of batch optimizers, and no margins of losses without', {
    tags: 'slow',
  }, async () => {
    const set = ['stages.contribute.loss=log', 'stages.optimize={lbfgs: {l2: 0.5}}'];
    const given = set.flatMap(each => ['--set', each]);
    expect(await run('--force', '--model', 'lbfgs.model', ...given)).toMatchObject({ code: 0 });
    expect(page()).toContain('<th scope="col">objective</th><th scope="col">weights</th>');
    expect(page()).not.toContain('<th scope="col">mistakes</th>');
    expect(trainingPage('x', [])).toContain('The run ended before its first pass did.');
  });
});

describe('StreamCourse', () => {
  it('keeps a bounded number of points and marks of a stream without an end', () => {
    const course = new StreamCourse();
    for (let sentences = 1; sentences <= 10_000; sentences += 1) {
      course.sentences = sentences;
      course.add({ sentences } as StreamPoint);
      if (sentences % 10 === 0) course.mark(`${sentences}`);
      expect(course.points.length).toBeLessThan(1000);
    }
    const places = course.points.map(({ sentences }) => sentences);
    expect(places.every((place, i) => place === 16 * (i + 1))).toBe(true);
    expect(places.length).toBe(625);
    expect([course.marks.length, course.left]).toEqual([500, 500]);
  });

  it('has a page before the first report', () => {
    expect(streamPage('x', new StreamCourse())).toContain('ended before its first report');
  });
});
