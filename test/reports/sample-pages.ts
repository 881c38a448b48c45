import { pairedBootstrap } from '../../src/engine/metrics/evaluation/paired-bootstrap.js';
import { evaluationPage } from '../../src/reports/evaluation/evaluation-page.js';
import { hues } from '../../src/reports/label-palette.js';
import { StreamCourse } from '../../src/reports/stream/stream-course.js';
import { streamPage } from '../../src/reports/stream/stream-page.js';
import { studyPage } from '../../src/reports/study/study-page.js';
import { TaggedPage } from '../../src/reports/tagged/tagged-page.js';
import { spanEvaluation, wordEvaluation } from './sample-evaluation.js';

/** Reports with everything in them, by name. */
export function samplePages(): Record<string, string> {
  const spans = spanEvaluation();
  const resamples = { resamples: 50, spanScheme: true };
  const comparison = {
    against: 'b.model',
    scores: { sentences: 12, tokens: 84, accuracy: 50, f1: 50 },
    ...pairedBootstrap(spans.counts, spans.counts, resamples),
  };
  const points = [10, 200].map(records => ({
    records,
    scores: { sentences: 9, tokens: 90, accuracy: 80 + records / 20, f1: 70 },
  }));
  const words = wordEvaluation();
  return {
    spans: evaluationPage({
      ...{ model: 'a.model', gold: 'gold.ndjson', evaluation: spans },
      report: { ...spans.report(), comparison },
      curve: { name: 'a', points },
    }),
    words: evaluationPage({
      ...{ model: 'a.model', gold: 'gold.ndjson', evaluation: words, report: words.report() },
    }),
    study: study(),
    stream: stream(),
    tagged: tagged(true),
    speech: tagged(false),
  };
}

/** A stream with everything that happens on one. */
function stream(): string {
  const course = new StreamCourse();
  const labels = ['PER', 'LOC', 'A long label < of many letters'].map((label, i) => {
    return { label, correct: 3, gold: 4, predicted: 5, precision: 60, recall: 75, f1: 66 + i };
  });
  for (let sentences = 1000; sentences <= 9000; sentences += 1000) {
    course.sentences = sentences;
    if (sentences === 5000) course.mark('the stream may have changed');
    const scores = { sentences, tokens: 9 * sentences, accuracy: 80 + sentences / 1000, f1: 70 };
    course.add({
      ...{ sentences, all: scores, inWindow: scores, recent: scores },
      details: {
        ...{ accuracy: [79, 91], f1: [60, 80], unseen: { tokens: sentences - 1000, accuracy: 50 } },
        ...{ baselines: { majority: 40, last: 20, word: 75 }, labels },
      },
    });
  }
  return streamPage('pipelines/a.yaml', course);
}

/** A study with more lines than there are colours. */
function study(): string {
  const names = Array.from({ length: 14 }, (_, i) => `variant ${i} with a long name`);
  const cell = { measured: '93.61 ± 0.04', published: '93.66', difference: '-0.05' };
  const heads = ['F1', 'active'].map(name => ({ name, published: 'paper', compared: true }));
  const lines = names.map((name, i) => ({
    name,
    points: [1, 2, 3].map(x => ({ name: `${name}, ${x}`, x: 10 ** x, y: 90 + x / (1 + i) })),
  }));
  const axis = { title: 'active', digits: 0, log: true };
  return studyPage({
    ...{ name: 's', title: 'A < B', reference: 'Nobody (2009)', about: 'Nothing.', runs: '2 runs' },
    tables: [
      { title: 'T', heads, rows: names.map(name => ({ name, cells: [cell, cell] })), note: 'N' },
    ],
    plots: [
      { title: 'P', x: axis, y: { ...axis, title: 'F1', log: false }, lines },
      { title: 'empty', x: axis, y: axis, lines: [] },
    ],
    expectations: [true, false, undefined].map(met => ({ text: 'x', found: 'y', met })),
    notes: ['A note.'],
  });
}

/** Tagged text in each of the colours. */
function tagged(spans: boolean): string {
  const labels = hues.map((_, i) => `L${i}`);
  const page = new TaggedPage({ model: 'a.model', labels: labels.map(l => `B-${l}`), spans });
  const tokens = labels.map(label => `word${label}`);
  const record = page.write({
    document: { id: '1' },
    tokens,
    tags: labels.map(label => `B-${label}`),
    marginals: labels.map((_, i) => i / 12),
    ...(spans
      ? { spans: labels.map((label, i) => ({ label, start: i, end: i + 1, probability: 0.7 })) }
      : {}),
  });
  return page.head + record + page.tail;
}
