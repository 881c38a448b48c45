import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { ChainScores } from '../../../contracts/oracle/chain-scores.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { linearScoresOf } from '../../../contracts/oracle/scores-of.js';

/** The largest difference of a model's scores of some sentences from others. */
export function scoresApart(
  model: Model,
  scores: (sentence: Sentence) => ChainScores,
  sentences: readonly Sentence[],
): number {
  const differences = sentences.map(sentence => {
    const found = linearScoresOf(model.parameters, model.encodeKnown(sentence));
    return difference(numbersOf(found), numbersOf(scores(sentence)));
  });
  return Math.max(...differences);
}

function numbersOf({ emissions, transitions }: ChainScores): number[] {
  return [...emissions.flat(), ...transitions.slice(1).flat(2)];
}
