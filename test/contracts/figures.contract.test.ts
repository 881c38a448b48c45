import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agreementOf, cohenKappa, fleissKappa } from '../../src/annotation/agreement/agreement.js';
import { formatScores } from '../../src/cli/report/format-scores.js';
import {
  type Figure,
  figureDefinitions,
  figureText,
  meanOf,
} from '../../src/engine/core/figures.js';
import { RunStatus } from '../../src/engine/core/run-status.js';
import type { Scores } from '../../src/engine/core/training/training-step.js';
import { crossValidation } from '../../src/engine/metrics/evaluation/cross-validation.js';
import { Evaluation } from '../../src/engine/metrics/evaluation/evaluation.js';
import { oneStandardError } from '../../src/engine/metrics/evaluation/one-standard-error.js';
import { pairedBootstrap } from '../../src/engine/metrics/evaluation/paired-bootstrap.js';
import { ProgressiveScores } from '../../src/engine/metrics/scores/progressive-scores.js';
import { rawTextScores } from '../../src/engine/metrics/scores/raw-text-scores.js';
import { EarlyStopping } from '../../src/engine/models/learning/held-out-evaluator.js';
import { passesSchema } from '../../src/engine/models/learning/training-history.js';
import {
  evaluationPage,
  foldRows,
  labelRows,
} from '../../src/reports/evaluation/evaluation-page.js';
import { learningCurvePage } from '../../src/reports/evaluation/learning-curve.js';
import { trainingPage } from '../../src/reports/stream/training-page.js';
import { textReport } from '../../src/reports/text-report.js';
import { runMetrics } from '../../src/service/telemetry/run-metrics.js';
import { root } from '../cli/commands/run-command.js';

/** Sentences that are tagged with and without spans, rightly and wrongly. */
const cases: Readonly<Record<string, readonly (readonly [gold: string, tags: string])[]>> = {
  'no sentence': [],
  'no span, all right': [['O O', 'O O']],
  'no span, one predicted': [['O O', 'B-X O']],
  'spans, none predicted': [['B-X O', 'O O']],
  'spans, all right': [['B-X O B-Y', 'B-X O B-Y']],
  mixed: [
    ['B-X O B-Y', 'B-X B-Y O'],
    ['O B-Z', 'O B-X'],
  ],
};

function evaluationOf(sentences: (typeof cases)[string], trained = ['t0']): Evaluation {
  const evaluation = new Evaluation({ spanScheme: true, vocabulary: new Set(trained), errors: 9 });
  for (const [gold, tags] of sentences) {
    const tokens = gold.split(' ').map((_, t) => `t${t}`);
    const marginals = tokens.map(() => 0.75);
    evaluation.add({ tokens, gold: gold.split(' '), tags: tags.split(' '), marginals } as never);
  }
  return evaluation;
}

/** What a page or a text shows instead of a value where nobody has thought of an undefined one. */
const unthought = /NaN|\bnull\b|Infinity|\[object/;

describe.each(Object.entries(cases))('the figures of %s', (_, sentences) => {
  const evaluation = evaluationOf(sentences);
  const scores = evaluation.scores();
  const report = evaluation.report();
  const counts = sentences.map(([gold, tags]) => [gold.split(' '), tags.split(' ')] as const);
  const tokens = counts.flatMap(([gold]) => gold).length;
  const right = counts.flatMap(([gold, tags]) => gold.filter((tag, t) => tag === tags[t])).length;
  const spans = (all: readonly string[]) => all.filter(tag => tag !== 'O').length;
  const gold = counts.reduce((sum, [tags]) => sum + spans(tags), 0);
  const predicted = counts.reduce((sum, [__, tags]) => sum + spans(tags), 0);
  const correct = counts.flatMap(([wanted, tags]) =>
    wanted.filter((tag, t) => tag !== 'O' && tag === tags[t]),
  ).length;
  const share = (part: number, whole: number) => (whole === 0 ? null : (100 * part) / whole);
  const expected: Record<'accuracy' | 'precision' | 'recall' | 'f1', Figure> = {
    accuracy: share(right, tokens),
    precision: share(correct, predicted),
    recall: share(correct, gold),
    f1: share(2 * correct, gold + predicted),
  };

  it('are what the table says, in code and in JSON', () => {
    expect(scores).toMatchObject(expected);
    expect(report).toMatchObject(expected);
    expect(JSON.parse(JSON.stringify(scores))).toMatchObject(expected);
    expect(report.words!.unseen.accuracy).toBe(
      share(
        counts.flatMap(([wanted, tags]) => wanted.slice(1).filter((tag, t) => tag === tags[t + 1]))
          .length,
        tokens - counts.length,
      ),
    );
    for (const { label: __, gold: g, predicted: p, correct: c, ...of } of report.labels) {
      expect(of).toMatchObject({
        precision: share(c, p),
        recall: share(c, g),
        f1: share(2 * c, g + p),
      });
    }
  });

  it('are the same in text and on the page', () => {
    const text = textReport(report);
    const page = evaluationPage({ model: 'm', gold: 'g', report, evaluation });
    const curve = learningCurvePage({ name: 'c', points: [{ records: 1, scores }] });
    const training = trainingPage('t', [{ pass: 1, loss: 1, scores }]);
    for (const shown of [text, page, curve, training, formatScores(scores)]) {
      expect(shown.replace(/<script>[\s\S]*?<\/script>/g, '')).not.toMatch(unthought);
    }
    for (const [name, value] of Object.entries(expected)) {
      const shown = figureText(value);
      if (scores.sentences > 0)
        expect(formatScores(scores)).toContain(`${name === 'f1' ? 'F1' : name} ${shown}`);
      const padded = shown.padStart(6);
      const of = name === 'f1' ? 'FB1' : name;
      expect(text).toContain(`${of}: ${padded}`);
    }
    expect(page).toContain(`<dt>F1 of spans</dt><dd>${figureText(expected.f1)}`);
    expect(curve).toContain(`<td>${figureText(expected.accuracy)}</td>`);
  });

  it('are the same in metrics, which have no undefined ones', async () => {
    const status = new RunStatus();
    status.heldOut = scores;
    const text = await runMetrics(status).metrics();
    for (const [metric, value] of [
      ['tagstream_held_out_accuracy', expected.accuracy],
      ['tagstream_held_out_f1', expected.f1],
    ] as const) {
      const found = new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1];
      if (value === null) expect(found).toBeUndefined();
      else expect(Number(found)).toBeCloseTo(value / 100, 12);
    }
  });

  it('are kept with a model', () => {
    const passes = [{ pass: 1, loss: 0.5, scores }];
    const read = passesSchema.parse(JSON.parse(JSON.stringify(passes)));
    expect(read[0]!.scores).toMatchObject(expected);
  });

  it('are those of a stream', () => {
    const progress = new ProgressiveScores({ spanScheme: true });
    for (const [wanted, tags] of counts) progress.add(wanted, tags, 1, wanted.map(String));
    for (const of of [progress.scores(), progress.inWindow()]) expect(of).toMatchObject(expected);
    const { accuracy, f1, baselines } = progress.details.scores(true);
    expect(accuracy.includes(null)).toBe(expected.accuracy === null);
    expect(f1!.includes(null)).toBe(expected.f1 === null);
    expect(baselines.word === null).toBe(tokens === 0);
  });
});

describe('undefined figures', () => {
  const none = evaluationOf(cases['no span, all right']!);
  const some = evaluationOf(cases['spans, all right']!);

  it('enter no mean, deviation or table of folds', () => {
    expect(meanOf([50, null, 100])).toBe(75);
    const result = crossValidation([none, some, some], some);
    expect(result.scores.f1).toEqual({ mean: 100, deviation: 0 });
    expect(crossValidation([none, none], none).scores.f1).toEqual({ mean: null, deviation: null });
    expect([foldRows(result), labelRows(result)].flat(2).join(' ')).not.toMatch(unthought);
    expect(foldRows(result)[1]).toEqual(['1', '1', '0', '-', '-', '-', '100.00']);
  });

  it('enter no comparison', () => {
    const given = { resamples: 50, spanScheme: true };
    const { f1, accuracy } = pairedBootstrap(none.counts, none.counts, given);
    expect(f1).toEqual({ difference: null, interval: [null, null], pValue: null, better: null });
    expect(accuracy.difference).toBe(0);
    // Half of the resamples of a sentence with a span and one without have a span or two.
    const mixed = evaluationOf([...cases['no span, all right']!, ...cases['spans, all right']!]);
    const worse = evaluationOf([...cases['no span, all right']!, ['B-X O B-Y', 'O O O']]);
    const found = pairedBootstrap(mixed.counts, worse.counts, given).f1!;
    expect([found.difference, found.interval, found.better]).toEqual([100, [100, 100], 1]);
    expect(oneStandardError([{ penalties: [1], scores: [90] }]).chosen).toBe(0);
  });

  it('neither end nor prolong training', () => {
    const stopping = new EarlyStopping(2, () => new Uint8Array(1));
    const scored = (f1: Figure) => ({ sentences: 1, tokens: 1, accuracy: 50, f1 }) as Scores;
    const ended = [40, null, null, null, 30, null, 20].map((f1, i) =>
      stopping.consider(scored(f1), i + 1),
    );
    expect(ended).toEqual([false, false, false, false, false, false, true]);
    expect(stopping.bestPass).toBe(1);
  });

  it('are those of annotators who have used one label, and of texts without words', () => {
    expect(cohenKappa(['A', 'A'], ['A', 'A'])).toBeNull();
    expect([cohenKappa([], []), fleissKappa([]), fleissKappa([['A', 'A']])]).toEqual([
      null,
      null,
      null,
    ]);
    const tags = ['O', 'O'];
    const versions = ['a', 'b'].map(annotator => ({ annotator, tags }));
    const task = { kind: 'spans', names: ['X'] } as never;
    expect(agreementOf([{ record: 0, versions }], task, 2)).toMatchObject({
      ...{ agreed: 1, f1: null, cohen: null, fleiss: null },
      byLabel: [{ label: 'X', f1: null, cohen: null }],
    });
    const empty = { tokens: [], sentences: [], words: [] };
    expect(rawTextScores(empty, empty, []).words).toEqual({
      precision: null,
      recall: null,
      f1: null,
    });
  });

  it('are documented, with each figure', () => {
    const guide = readFileSync(join(root, 'src/engine/metrics/README.md'), 'utf8');
    for (const [name, { unit, definition, undefinedIf }] of Object.entries(figureDefinitions)) {
      const cells = [`\`${name}\``, unit, definition.replaceAll('|', '\\|'), undefinedIf];
      expect(guide).toContain(`| ${cells.join(' | ')} |`);
    }
  });
});
