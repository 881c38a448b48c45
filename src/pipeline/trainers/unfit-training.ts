import type { ScorerName } from '../../core/scorer-name.js';
import type { TrainOptions } from '../options/train-options.js';

/** A setting of training that does not go with a scorer. */
export interface UnfitTraining {
  readonly setting:
    | 'dropout'
    | 'threshold'
    | 'temperature'
    | 'compact'
    | 'start'
    | 'workers'
    | 'epochs';
  readonly problem: string;
  readonly fix: string;
}

type Settings = {
  readonly [Name in UnfitTraining['setting']]?: TrainOptions[Name] | undefined;
};

/** The setting of `train` that does not go with the scorer hmm and an optimizer; undefined where there is none. */
export function unfitTraining(settings: Settings, optimizer = 'counts'): UnfitTraining | undefined {
  const { dropout = 0, threshold, temperature, start, workers = 1, epochs = 1 } = settings;
  const { compact = false } = settings;
  const unfit = (setting: UnfitTraining['setting'], problem: string, fix = 'leave it out') => ({
    ...{ setting, problem: `the scorer hmm ${problem}`, fix },
  });
  if (dropout > 0) return unfit('dropout', 'counts all that it sees');
  if (threshold !== undefined) {
    const fix = 'leave it out: a higher minCount of the optimizer counts makes the model smaller';
    return unfit(
      'threshold',
      'has weights that are parts of logarithms, none can be left out',
      fix,
    );
  }
  if (temperature !== undefined) {
    return unfit('temperature', 'has probabilities that were counted');
  }
  if (compact) return unfit('compact', 'has weights that are logarithms, which are not rounded');
  if (start !== undefined) {
    const fix = 'train on all records, or resume from the checkpoints of the run';
    return unfit('start', 'starts from counts, and a model file has none', fix);
  }
  if (workers > 1) return unfit('workers', 'is counted by one thread');
  if (epochs > 1 && optimizer === 'counts') {
    const fix = 'leave epochs out, or give epochs: 1';
    return unfit('epochs', 'counts a corpus in one pass, and further passes change nothing', fix);
  }
  return undefined;
}

/** What models of such scorers have in place of weights, and what to do in place of settings that need these. */
const made: {
  readonly [Name in ScorerName]?: Readonly<
    Record<'parts' | 'smaller' | 'continued' | 'instead', string>
  >;
} = {
  trees: {
    parts: 'leaves',
    smaller: 'fewer epochs or leaves make the model smaller',
    continued: 'trees',
    instead:
      'begin with an online optimizer: optimize: { switch: { first: { sgd: {} }, next: { trees: {} } } }',
  },
  'support-vectors': {
    parts: 'support vectors',
    smaller: 'a smaller l2 or fewer records make the model smaller',
    continued: 'support vectors',
    instead: 'train on all records, or resume from the checkpoints of the run',
  },
};

/** The setting of `train` that does not go with a scorer that one optimizer makes; undefined where there is none. */
export function unfitGrowing(
  scorer: ScorerName,
  {
    threshold,
    temperature,
    compact = false,
    start,
  }: Pick<Settings, 'threshold' | 'temperature' | 'compact' | 'start'>,
): UnfitTraining | undefined {
  const has = made[scorer];
  if (has === undefined) return undefined;
  const unfit = (setting: UnfitTraining['setting'], problem: string, fix: string) => ({
    ...{ setting, problem: `the scorer ${scorer} ${problem}`, fix },
  });
  if (threshold !== undefined) {
    return unfit(
      'threshold',
      `has ${has.parts} in place of weights`,
      `leave it out: ${has.smaller}`,
    );
  }
  if (temperature !== undefined) {
    return unfit('temperature', `has ${has.parts} in place of weights`, 'leave it out');
  }
  if (compact) return unfit('compact', `has ${has.parts} in place of weights`, 'leave it out');
  if (start !== undefined) {
    return unfit('start', `does not continue the ${has.continued} of a model file`, has.instead);
  }
  return undefined;
}
