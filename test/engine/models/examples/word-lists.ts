import { gazetteer } from '../../../../src/engine/features/resources/gazetteer.js';
import { quantisedVectors } from '../../../../src/engine/features/resources/quantised-vectors.js';
import type { Resources } from '../../../../src/engine/features/resources/resources.js';
import { wordClusters } from '../../../../src/engine/features/resources/word-clusters.js';

/** Lists of words `w0`, `w1`, ..., as the corpora of tests have them. */
export const wordLists: Resources = {
  gazetteers: {
    pairs: gazetteer(['w1 w2', 'w3', 'W4 w5 w6', 'w2 w3', 'Zoë w1']),
    'any-case': gazetteer(['W0', 'W7 W1'], { fold: true }),
  },
  clusters: { brown: wordClusters('000\tw0\n000\tw1\n001\tw2\n01\tw3\n10\tw4\n11\tw5\n') },
};

const vectorWords = ['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'Zoë'];

/** Vectors of the words that come first. */
export const wordVectors: Resources = {
  vectors: {
    v: quantisedVectors({
      words: vectorWords,
      dimensions: 3,
      values: Float32Array.from(vectorWords.flatMap((_, i) => [i % 3, Math.sin(i), 1 / (i + 1)])),
    }),
  },
};

/** Templates that look words up in them. */
export const listTemplates = [
  'U0:%x[0,0]',
  'U1:%gazetteer[0,0,pairs]',
  'U2:%gazetteer[1,0,any-case]/%cluster[0,0,brown,1]',
  'U3:%cluster[-1,0,brown]',
  'B',
  'B1:%cluster[0,0,brown,2]',
].join('\n');
