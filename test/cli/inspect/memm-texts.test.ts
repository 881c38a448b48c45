import { expect, it } from 'vitest';
import { explanationText } from '../../../src/cli/inspect/inspect-file.js';
import { type Paint, summaryText } from '../../../src/cli/inspect/summary-text.js';
import { Random } from '../../../src/engine/core/random.js';
import { writeModel } from '../../../src/engine/models/files/model-file.js';
import { explainSentence } from '../../../src/engine/models/inspection/explain.js';
import { inspectModel } from '../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../src/engine/models/inspection/read-inspected.js';
import { sentenceOf } from '../../engine/features/sentence-of.js';
import { syntheticCorpus } from '../../engine/models/examples/synthetic-corpus.js';
import { train } from '../../engine/models/examples/train.js';

const same = (text: string) => text;
const plain = { strong: same, faint: same, signed: same } as Paint;
const corpus = syntheticCorpus(new Random(51), 40, { labels: 3, longest: 6 });
const textOf = (scorer: 'linear' | 'memm') => {
  const spec = { templates: 'U0:%x[0,0]\nB', scorer };
  const inspected = readInspected(writeModel(train(corpus, { spec })));
  const explained = explainSentence(inspected.model, sentenceOf(['w0', 'w3']));
  return [
    summaryText(inspectModel(inspected), 3, plain),
    explanationText(explained, 9, plain),
  ] as const;
};

it('inspect names the scorer of a MEMM, and the normaliser of the next token in what it explains', () => {
  const [summary, explanation] = textOf('memm');
  expect(summary).toMatch(/^ {2}scorer +memm: p\(y_t \| y_\{t-1\}, x\), normalised at each token/m);
  expect(explanation.match(/normaliser of w3/g)).toHaveLength(1);
  expect(explanation).not.toContain('normaliser of w0');
});

it('neither stands there for a linear model', () => {
  const [summary, explanation] = textOf('linear');
  expect(summary).not.toMatch(/^ {2}scorer/m);
  expect(explanation).not.toContain('normaliser');
});
