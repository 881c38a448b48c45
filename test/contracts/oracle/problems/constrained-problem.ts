import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Random } from '../../../../src/engine/core/random.js';
import type {
  Constraints,
  TokenConstraint,
} from '../../../../src/engine/core/sentence/document.js';
import type { DecodingRules } from '../../../../src/engine/models/decoding/decode-options.js';
import { LabelSet } from '../../../../src/engine/models/labels/label-set.js';
import { maskOf } from '../../../../src/engine/models/labels/transition-rules.js';
import { schemeAllows, type TagScheme } from '../../../../src/engine/text/tags/tag-scheme.js';
import type { ChainScores } from '../chain-scores.js';
import type { KernelPlace } from '../kernels/kernel-place.js';
import { type Problem, randomProblem } from './problem.js';

const sets: readonly (readonly [scheme: TagScheme, names: readonly string[]])[] = [
  ['BIO', ['O', 'B-X', 'I-X']],
  ['BIO', ['B-X', 'O', 'I-Y', 'I-X', 'B-Y']],
  ['BIO', ['I', 'O', 'B']],
  ['BIOES', ['O', 'B-X', 'I-X', 'E-X', 'S-X']],
  ['BIOES', ['S-Y', 'O', 'B-X', 'E-X', 'S-X', 'I-X']],
  ['IO', ['O', 'I-X', 'I-Y']],
  ['none', ['A', 'B', 'C', 'D']],
  ['none', ['A']],
];

/** A random problem whose labels have names, some transitions forbidden, and some labels at tokens. */
export interface ConstrainedProblem extends Problem {
  readonly names: readonly string[];
  readonly rules: DecodingRules;
  /** For each sentence its scores; minus infinity where something is forbidden. */
  readonly constrained: readonly ChainScores[];
}

/**
 * Schemes as they are, or (`IOB1`) read by their rules alone with every transition allowed.
 *
 * @param states numbers that each label has, one after the other; with several there are few labels
 */
export function constrainedProblem(
  random: Random,
  place: KernelPlace,
  states = 1,
): ConstrainedProblem {
  const chosen = states === 1 ? sets : sets.filter(set => set[1].length <= 3);
  const [scheme, tags] = chosen[random.below(chosen.length)]!;
  const labels = new LabelSet(tags, states);
  const { names } = labels;
  const rules = { scheme: random.below(4) === 0 ? 'none' : scheme, also: [] } as const;
  const problem = randomProblem(random, { labels: names.length }, place);
  const sentences = problem.batch.sentences.map(encoded => withConstraints(encoded, random, names));
  const constrained = problem.scores.map((scores, s) =>
    forbidding(scores, rules.scheme, names, sentences[s]!.sentence.constraints ?? {}),
  );
  return {
    ...problem,
    batch: packMinibatch(sentences),
    names,
    rules: {
      labels,
      scheme,
      transitionMask: maskOf(rules, names, states),
      dictionary: undefined,
    },
    constrained,
  };
}

function withConstraints(
  encoded: EncodedSentence,
  random: Random,
  names: readonly string[],
): EncodedSentence {
  const constraints: Record<string, TokenConstraint> = {};
  for (let t = 0; t < encoded.length; t += 1) {
    const some = names.filter(() => random.below(2) === 0);
    const kind = random.below(6);
    if (kind === 0 && some.length > 0) constraints[t] = some;
    if (kind === 1 && some.length < names.length) constraints[t] = { not: [...some, 'unknown'] };
  }
  if (Object.keys(constraints).length === 0) return encoded;
  return { ...encoded, sentence: { ...encoded.sentence, constraints } };
}

/** The scores with minus infinity wherever a constraint forbids something, written down from its meaning. */
function forbidding(
  { emissions, transitions }: ChainScores,
  scheme: TagScheme,
  names: readonly string[],
  constraints: Constraints,
): ChainScores {
  const last = emissions.length - 1;
  const isAllowed = (t: number, name: string) => {
    const asked = constraints[t];
    const meets =
      asked === undefined || ('not' in asked ? !asked.not.includes(name) : asked.includes(name));
    const begins = t > 0 || schemeAllows(scheme, undefined, name);
    return meets && begins && (t < last || schemeAllows(scheme, name, undefined));
  };
  const kept = (score: number, isOpen: boolean) => (isOpen ? score : Number.NEGATIVE_INFINITY);
  return {
    emissions: emissions.map((row, t) =>
      row.map((score, y) => kept(score, isAllowed(t, names[y]!))),
    ),
    transitions: transitions.map(matrix =>
      matrix.map((row, from) =>
        row.map((score, to) => kept(score, schemeAllows(scheme, names[from]!, names[to]!))),
      ),
    ),
  };
}
