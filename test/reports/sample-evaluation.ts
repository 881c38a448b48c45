import { Evaluation } from '../../src/engine/metrics/evaluation/evaluation.js';

/** What must never come out as markup. */
export const attack = '<script>document.title="taken"</script>';

/** An evaluation of spans with everything in it, and hostile tokens, labels and probabilities. */
export function spanEvaluation(sentences = 12): Evaluation {
  const vocabulary = new Set(['Anna', 'saw']);
  const evaluation = new Evaluation({ spanScheme: true, vocabulary, errors: 8 });
  for (let n = 0; n < sentences; n += 1) {
    const isRight = n % 4 === 3;
    evaluation.add({
      tokens: ['Anna', 'Berg', 'saw', n % 2 === 0 ? attack : 'Oslo', '&', 'New', 'York'],
      gold: ['B-PER', 'I-PER', 'O', 'B-<img>', 'O', 'B-LOC', 'I-LOC'],
      tags: isRight
        ? ['B-PER', 'I-PER', 'O', 'B-<img>', 'O', 'B-LOC', 'I-LOC']
        : ['B-PER', 'O', 'O', 'B-LOC', 'O', 'B-LOC', n % 3 === 0 ? 'B-LOC' : 'I-LOC'],
      marginals: [0.99, 0.6, 0.97, 0.3 + n / 40, 0.999, 0.8, 0.55],
      spans: isRight
        ? [
            { label: 'PER', start: 0, end: 2, probability: 0.9 },
            { label: '<img>', start: 3, end: 4, probability: 0.4 },
            { label: 'LOC', start: 5, end: 7, probability: 0.7 },
          ]
        : [
            { label: 'PER', start: 0, end: 1, probability: 0.5 },
            { label: 'LOC', start: 3, end: 4, probability: 0.35 },
            { label: 'LOC', start: 5, end: n % 3 === 0 ? 6 : 7, probability: 0.65 },
          ],
    });
  }
  return evaluation;
}

/** An evaluation of parts of speech. */
export function wordEvaluation(): Evaluation {
  const evaluation = new Evaluation({ spanScheme: false, errors: 100 });
  const labels = ['NOUN', 'VERB', 'ADJ', 'ADP', 'DET', 'PRON', 'ADV', 'AUX', 'PUNCT', 'X'];
  for (let n = 0; n < 20; n += 1) {
    const gold = Array.from({ length: 6 }, (_, t) => labels[(n + 3 * t) % labels.length]!);
    const tags = gold.map((label, t) => ((n + t) % 5 === 0 ? labels[(t + n + 1) % 10]! : label));
    const tokens = gold.map((_, t) => (t === 2 ? attack : `word${(7 * n + t) % 11}`));
    evaluation.add({ tokens, gold, tags, marginals: gold.map((_, t) => 0.4 + t / 10) });
  }
  return evaluation;
}
