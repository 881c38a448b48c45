import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import { automatonLogSum, automatonViterbi } from '../../inference/automata/automaton-decode.js';
import { isAccepted, type LabelAutomaton } from '../../inference/automata/label-automaton.js';
import { PairSums } from '../../inference/marginals/pair-marginals.js';
import { addBonus, maskToken, maskTransitions } from '../../inference/mask-scores.js';
import { NBest } from '../../inference/n-best.js';
import { ScaledSpanProbabilities } from '../../inference/scaled-span-probabilities.js';
import { scoreBatch } from '../../inference/score-batch.js';
import { LabelScore } from '../../inference/states/label-score.js';
import { allowsLists, structureOf } from '../../inference/structures/structures.js';
import { releaseLattice, type WideLattice, wideLattice } from '../../inference/wide-lattice.js';
import type { Kernel } from '../../kernels/kernel.js';
import { decodingLattice, type Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { spanPairs } from '../../text/tags/spans.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { TokenizerChoice } from '../../text/tokenizers/named-tokenizer.js';
import { type DictionaryEntries, TagDictionary } from '../labels/tag-dictionary.js';
import { constraintMasks, type TokenMask } from './constraint-masks.js';
import { decodeByVotes } from './decode-by-votes.js';
import {
  asksForProbabilities,
  type DecodeOptions,
  type DecodingRules,
  decodeForms,
  decodeOptionNames,
} from './decode-options.js';
import { type BatchWork, decodeSentence, mostLog } from './decode-sentence.js';
import {
  type Decoded,
  type DecodedDraft,
  draftOf,
  ofSequence,
  place,
  placeEmpty,
  type ReportedLabels,
  rejectUnfilled,
  reportedLabels,
} from './decoded.js';
import { requireCapabilities, requireFromStructure } from './require-capabilities.js';
import { contradiction } from './require-possible.js';
import { ruleAutomaton, type SequenceRule } from './sequence-rules.js';
import { type TagRule, TagRules } from './tag-rules.js';

const none: readonly TokenMask[] = [];
/**
 * Decodes minibatches in the working memory of given parameters without changing the parameters.
 */
export class Decoder {
  readonly #kernel: Kernel;
  readonly #rules: DecodingRules | undefined;
  #given: { entries: DictionaryEntries; size: number; dictionary: TagDictionary } | undefined;
  #spans: BatchWork['spans'];
  #pairSums: PairSums | undefined;
  #compiled:
    | { rules: readonly SequenceRule[]; size: number; automaton: LabelAutomaton }
    | undefined;
  #ruled: { rules: readonly TagRule[]; size: number; made: TagRules } | undefined;
  readonly #nBest = new NBest();
  readonly #hidden: BatchWork['hidden'];

  /** @param rules the labels' model; if absent, every sequence is allowed and there are no spans */
  constructor(kernel: Kernel, rules?: DecodingRules) {
    requireArgument('Decoder: the kernel', kernel, kinds.kernel);
    if (rules !== undefined) requireArgument('Decoder: the model', rules, kinds.rules);
    this.#kernel = kernel;
    this.#rules = rules;
    const states = rules?.labels.states ?? 1;
    this.#hidden = states === 1 ? undefined : { states, labelScore: new LabelScore(states) };
  }

  /**
   * Decodes a minibatch. Impossible restrictions are dropped in this order: label pruning; the dictionary, at a token
   * whose constraint it contradicts or entirely if it leaves no label sequence; the rules for names and patterns;
   * and, if there are no constraints, the scheme's transitions. A sentence is `rejected` if its constraints leave no
   * sequence or its score is not finite.
   *
   * If the parameters have voters, the voters decide: scores are then numbers of votes, and probabilities are shares
   * of all votes.
   *
   * Cost O(active features * L + T L^2), per voter if there are voters; more if more than the best sequence is requested.
   *
   * A sentence without tokens has one label sequence: empty, with probability 1 and score 0.
   *
   * With sequence rules, finds the best sequence that satisfies them; they are never dropped.
   *
   * @throws TagstreamError `config` for rules that do not fit the labels or the options, a dictionary without any of the
   * model's tags, a number of best sequences outside 1 to 1000, and an unknown decoding
   */
  decode(parameters: ParameterStore, batch: Minibatch, options: DecodeOptions = {}): Decoded {
    requireOptions(options);
    return rejectUnfilled(this.#decode(parameters, batch, options, false), batch);
  }

  /**
   * @param isLast whether to reject a sentence that does not fit into memory; otherwise it is retried alone, in
   *   memory that it does not share
   */
  #decode(
    parameters: ParameterStore,
    batch: Minibatch,
    options: DecodeOptions,
    isLast: boolean,
  ): Decoded {
    const { voters } = parameters;
    const reported = this.#reportedFor(options);
    const pairSums = this.#pairSumsFor(options, reported);
    if (voters !== undefined) {
      const decode = (each: ParameterStore, own: DecodeOptions) => this.decode(each, batch, own);
      const draft = draftOf(batch, options, this.#hasSpans, reported);
      const poll = { voters, decode, names: this.#names, reported, pairSums };
      return decodeByVotes(poll, batch, options, draft);
    }
    const { scorer } = parameters.layout;
    if (scorer !== undefined) requireCapabilities(scorer, options, batch);
    const { layout } = parameters;
    requireFromStructure(layout, options, this.#hidden !== undefined);
    const structure = structureOf(layout);
    const lattice = decodingLattice(parameters);
    lattice.allowsLists = this.#asksForPaths(parameters, batch, options);
    if (layout.prune !== undefined) lattice.whole = this.#wholeOf(batch, options);
    const decoded = draftOf(batch, options, this.#hasSpans, reported);
    try {
      scoreBatch(this.#kernel, parameters, lattice, batch);
    } catch (thrown) {
      const error = tooLarge(thrown, parameters, batch.tokens);
      if (isLast) return { ...decoded, rejected: new Map([[0, error]]) };
      const own = this.#oneByOne(parameters, batch, batch.sentences.keys(), options, decoded);
      return own === undefined ? decoded : { ...decoded, rejected: own };
    } finally {
      lattice.allowsLists = false;
    }
    const kernel = structure.kernel?.(this.#kernel) ?? this.#kernel;
    const transitions =
      !this.#encodes && (options.transitions === 'any' || isTokenwise(options))
        ? undefined
        : this.#rules?.transitionMask;
    if (transitions !== undefined) maskTransitions(lattice, transitions);
    const dictionary = this.#dictionaryOf(options);
    const masks = this.#maskTokens(lattice, dictionary, options);
    let wide: WideLattice | undefined;
    const work: BatchWork = {
      ...{ kernel, lattice, options, nBest: this.#nBest, hidden: this.#hidden, structure, layout },
      wide: () => {
        wide ??= wideLattice(kernel, lattice);
        return wide;
      },
      automaton: this.#automatonOf(options),
      spans: decoded.spans === undefined ? undefined : this.#spanSums(),
      groups: this.#rules?.labels.groups,
      reported,
      pairSums,
    };
    const unconnected = transitions?.connected === false;
    const impossible: number[] = [];
    const crowded: number[] = [];
    let { rejected } = masks;
    const reject = (s: number, error: TagstreamError | undefined) => {
      if (error !== undefined) rejected = (rejected ?? new Map()).set(s, error);
    };
    for (let s = 0; s < batch.sentences.length; s += 1) {
      if (rejected?.has(s) === true) continue;
      if (batch.sentenceStarts[s] === batch.sentenceStarts[s + 1]) {
        placeEmpty(decoded, s, reported);
        continue;
      }
      try {
        const masked = unconnected || masks.sentences?.[s] === 1;
        const found =
          work.automaton === undefined
            ? decodeSentence(work, s, masked, decoded)
            : decodeByRules(work, s, work.automaton, decoded);
        if (!found) impossible.push(s);
      } catch (thrown) {
        if (exceedsMemory(thrown) && !isLast) crowded.push(s);
        else if (thrown instanceof TagstreamError) reject(s, thrown);
        else reject(s, tooLarge(thrown, parameters, batch.tokens));
      }
    }
    const weakened = impossible.map(s =>
      lattice.candidates.isPruned(s)
        ? { ...options, prune: false }
        : this.#weaker(batch, s, decoded.scores[s]!, dictionary, options),
    );
    // Each of these is decoded alone, once the others no longer need the lattice.
    for (const [i, weaker] of weakened.entries()) {
      const s = impossible[i]!;
      const isWrong = weaker instanceof TagstreamError;
      reject(s, isWrong ? weaker : this.#alone(parameters, batch, s, weaker, decoded));
    }
    if (crowded.length > 0) {
      for (const [s, error] of this.#oneByOne(parameters, batch, crowded, options, decoded) ?? [])
        reject(s, error);
    }
    if (rejected !== undefined) decoded.rejected = rejected;
    return decoded;
  }

  /**
   * Decodes one sentence of a batch in a batch of its own, into its place; returns the error if there is one.
   */
  #alone(
    parameters: ParameterStore,
    { sentences, sentenceStarts }: Minibatch,
    s: number,
    options: DecodeOptions,
    decoded: DecodedDraft,
    isLast = false,
  ): TagstreamError | undefined {
    const alone = this.#decode(parameters, packMinibatch([sentences[s]!]), options, isLast);
    place(decoded, alone, s, sentenceStarts[s]!);
    return alone.rejected?.get(0);
  }

  /** Decodes sentences that do not fit into memory together; those that do not fit alone are rejected. */
  #oneByOne(
    parameters: ParameterStore,
    batch: Minibatch,
    sentences: Iterable<number>,
    options: DecodeOptions,
    decoded: DecodedDraft,
  ): Map<number, TagstreamError> | undefined {
    let rejected: Map<number, TagstreamError> | undefined;
    for (const s of sentences) {
      releaseLattice(decodingLattice(parameters));
      const error = this.#alone(parameters, batch, s, options, decoded, true);
      if (error !== undefined) rejected = (rejected ?? new Map()).set(s, error);
    }
    releaseLattice(decodingLattice(parameters));
    return rejected;
  }

  /**
   * Forbids labels at single tokens of the batch; returns 1 for each sentence with such tokens, and the errors
   * in other sentences' constraints.
   */
  #maskTokens(
    lattice: Lattice,
    dictionary: TagDictionary | undefined,
    options: DecodeOptions,
  ): { sentences?: Uint8Array; rejected?: Map<number, TagstreamError> } {
    const { sentences } = lattice.batch!;
    const isConstrained = sentences.some(({ sentence }) => sentence.constraints !== undefined);
    const rules = this.#tagRulesOf(options);
    if (dictionary === undefined && !isConstrained && rules === undefined) return {};
    const masked = new Uint8Array(sentences.length);
    let rejected: Map<number, TagstreamError> | undefined;
    for (let s = 0; s < sentences.length; s += 1) {
      try {
        if (this.#mask(lattice, s, { dictionary, rules }, options)) masked[s] = 1;
      } catch (thrown) {
        if (!(thrown instanceof TagstreamError)) throw thrown;
        rejected ??= new Map();
        rejected.set(s, thrown);
      }
    }
    return { sentences: masked, ...(rejected && { rejected }) };
  }

  /** Forbids labels at single tokens of a sentence; returns whether there are any. */
  #mask(
    lattice: Lattice,
    s: number,
    { dictionary, rules }: { dictionary: TagDictionary | undefined; rules: TagRules | undefined },
    { constraints = true }: DecodeOptions,
  ): boolean {
    const { sentences, sentenceStarts } = lattice.batch!;
    const { sentence, length } = sentences[s]!;
    const first = sentenceStarts[s]!;
    const labels = this.#rules?.labels;
    const given =
      !constraints || sentence.constraints === undefined || labels === undefined
        ? none
        : constraintMasks(sentence.constraints, length, labels);
    const ruled = rules?.apply(sentence, given);
    const asked = ruled?.masks ?? given;
    for (const bonus of ruled?.bonuses ?? []) addBonus(lattice, first + bonus.token, bonus);
    for (const { token, allowed } of asked) maskToken(lattice, first + token, allowed);
    let masked = asked.length > 0;
    for (let t = 0; dictionary !== undefined && t < length; t += 1) {
      const allowed = dictionary.allowed(sentence.tokens[t]!);
      if (allowed === undefined || contradicts(asked, t, allowed)) continue;
      maskToken(lattice, first + t, allowed);
      masked = true;
    }
    return masked;
  }

  /**
   * Returns the next weaker restrictions for a sentence without a possible sequence, or the error.
   */
  #weaker(
    batch: Minibatch,
    s: number,
    score: number,
    dictionary: TagDictionary | undefined,
    options: DecodeOptions,
  ): DecodeOptions | TagstreamError {
    if (score !== Number.NEGATIVE_INFINITY) return notFinite(score);
    if (dictionary !== undefined) return { ...options, dictionary: false };
    if (options.rules !== undefined) return { ...options, rules: undefined };
    if (options.sequence !== undefined) return rulesContradict();
    // The last possible cause: every token on its own has a possible label.
    if (options.transitions === 'any') return notFinite(score);
    const { constraints } = batch.sentences[s]!.sentence;
    if (constraints === undefined || options.constraints === false) {
      return { ...options, transitions: 'any' };
    }
    return contradiction();
  }

  /**
   * Returns 1 for each sentence that must not be pruned because no required label may be missing.
   */
  #wholeOf({ sentences }: Minibatch, options: DecodeOptions): Uint8Array | undefined {
    const { prune = true, sequence, marginals, spanProbabilities, constraints = true } = options;
    const asksForSpans = spanProbabilities === true && this.#hasSpans;
    const hasRules = sequence !== undefined || this.#dictionaryOf(options) !== undefined;
    if (!prune || asksForSpans || marginals === 'pairs' || hasRules)
      return new Uint8Array(sentences.length).fill(1);
    const rules = this.#tagRulesOf(options);
    if (!constraints && rules === undefined) return undefined;
    return Uint8Array.from(sentences, ({ sentence }) => {
      const asked = constraints && sentence.constraints !== undefined;
      return asked || (rules !== undefined && rules.apply(sentence).applied.length > 0) ? 1 : 0;
    });
  }

  /**
   * Whether only the kernel reads transition scores: only the best labels are requested, and all labels are
   * allowed.
   */
  #asksForPaths(
    { layout }: ParameterStore,
    { sentences }: Minibatch,
    options: DecodeOptions,
  ): boolean {
    const { decoding = 'viterbi', transitions, nbest, sequence, rules } = options;
    if (decoding !== 'viterbi' || nbest !== undefined || rules !== undefined) return false;
    if (asksForProbabilities(options)) return false;
    if (!allowsLists(layout) || this.#hidden !== undefined) return false;
    if (sequence !== undefined || this.#dictionaryOf(options) !== undefined) return false;
    if (transitions !== 'any' && this.#rules?.transitionMask !== undefined) return false;
    return sentences.every(({ sentence }) => sentence.constraints === undefined);
  }

  #reportedFor({ marginals }: DecodeOptions): ReportedLabels | undefined {
    if (marginals !== 'all' && marginals !== 'pairs') return undefined;
    if (this.#rules !== undefined) return reportedLabels(this.#rules.labels);
    throw new TagstreamError('config', 'the labels of these parameters have no names', {
      fix: 'give the decoder the model, or ask only for the probabilities of the chosen labels',
    });
  }

  #pairSumsFor(
    { marginals, pairThreshold = 0.01 }: DecodeOptions,
    reported: ReportedLabels | undefined,
  ): PairSums | undefined {
    if (marginals !== 'pairs') return undefined;
    const { tags, columns } = reported!;
    if (
      this.#pairSums?.columns.length !== columns.length ||
      this.#pairSums.threshold !== pairThreshold
    ) {
      this.#pairSums = new PairSums(columns, tags.length, pairThreshold);
    }
    return this.#pairSums;
  }

  #automatonOf({ sequence: rules }: DecodeOptions): LabelAutomaton | undefined {
    if (rules === undefined || this.#rules === undefined) return undefined;
    const { labels } = this.#rules;
    if (this.#compiled?.rules !== rules || this.#compiled.size !== labels.size) {
      this.#compiled = { rules, size: labels.size, automaton: ruleAutomaton(rules, labels) };
    }
    return this.#compiled.automaton;
  }

  #tagRulesOf({ rules }: DecodeOptions): TagRules | undefined {
    if (rules === undefined || this.#rules === undefined) return undefined;
    const { labels, spec, tokenizer } = this.#rules;
    if (this.#ruled?.rules !== rules || this.#ruled.size !== labels.size) {
      const chosen = spec?.tokenize as TokenizerChoice | undefined;
      const made = new TagRules(rules, labels, chosen, tokenizer?.tokenizer);
      this.#ruled = { rules, size: labels.size, made };
    }
    return this.#ruled.made;
  }

  #dictionaryOf({ dictionary }: DecodeOptions): TagDictionary | undefined {
    if (dictionary === false || this.#rules === undefined) return undefined;
    if (dictionary === undefined) return this.#rules.dictionary;
    const { labels } = this.#rules;
    if (this.#given?.entries !== dictionary || this.#given.size !== labels.size) {
      const made = TagDictionary.of(dictionary, labels);
      this.#given = { entries: dictionary, size: labels.size, dictionary: made };
    }
    return this.#given.dictionary;
  }

  get #names(): readonly string[] {
    return this.#rules?.labels.names ?? [];
  }

  /**
   * Whether labels use a different scheme than tags, whose rules then ensure that a label sequence can be
   * converted to tags.
   */
  get #encodes(): boolean {
    return this.#rules?.labels.encode !== undefined;
  }

  get #hasSpans(): boolean {
    return this.#rules !== undefined && isSpanScheme(this.#rules.scheme);
  }

  #spanSums(): BatchWork['spans'] {
    if (this.#spans?.pairs.types.length !== this.#names.length) {
      const pairs = spanPairs(this.#names);
      this.#spans = { pairs, scaled: new ScaledSpanProbabilities(pairs) };
    }
    return this.#spans;
  }
}

/** Untyped callers and duplicate options may pass any kind of value. */
function requireOptions(options: DecodeOptions): void {
  requireKnown('decode', options, decodeOptionNames);
  const { decoding = 'viterbi', marginals, pairThreshold, nbest = 1, sequence } = options;
  if (sequence !== undefined) requireRulesOnly(options);
  const { among: decodings } = decodeForms.decoding;
  if (!decodings.includes(decoding)) {
    throw new TagstreamError('config', `unknown decoding ${JSON.stringify(decoding)}`, {
      fix: `choose one of ${decodings.join(', ')}`,
    });
  }
  if (pairThreshold !== undefined) requireThreshold(marginals, pairThreshold);
  const { least, most } = decodeForms.nbest;
  if (Number.isInteger(nbest) && nbest >= least && nbest <= most) return;
  throw new TagstreamError('config', `nbest is ${nbest}`, {
    fix: `ask for ${least} to ${most} sequences`,
  });
}

function requireThreshold(marginals: DecodeOptions['marginals'], threshold: number): void {
  const { least, most } = decodeForms.pairThreshold;
  if (marginals !== 'pairs') {
    throw new TagstreamError('config', 'pairThreshold has no effect without marginals: pairs', {
      fix: "ask for marginals: 'pairs', or leave it out",
    });
  }
  if (threshold >= least && threshold <= most) return;
  throw new TagstreamError('config', `pairThreshold is ${JSON.stringify(threshold)}`, {
    fix: `give a probability from ${least} to ${most}`,
  });
}

/** Whether each token gets its best label regardless of its neighbours. */
function isTokenwise({ decoding }: DecodeOptions): boolean {
  return decoding === 'posterior' || decoding === 'loopy';
}

/** Returns whether the constraints on a token exclude all labels that the dictionary allows. */
export function contradicts(asked: readonly TokenMask[], t: number, labels: Uint8Array): boolean {
  if (asked.length === 0) return false;
  const own = asked.find(({ token }) => token === t);
  return own?.allowed.every((is, y) => is !== 1 || labels[y] !== 1) ?? false;
}

/** Returns the error for sums out of range, which leave the best sequence undefined. */
function notFinite(score: number): TagstreamError {
  return new TagstreamError('numeric', `the score of a sentence is ${score}`, {
    fix: 'scale its real-valued features down, or train the model again: they overflow its precision',
  });
}

/** Whether a linear memory is full, or an array would exceed the engine's maximum length. */
export function exceedsMemory(thrown: unknown): boolean {
  return (
    thrown instanceof RangeError ||
    (thrown instanceof TagstreamError && thrown.code === 'too-large')
  );
}

/**
 * Returns the error for a batch whose scores do not fit into memory.
 *
 * @throws what was thrown, if it is any other error
 */
function tooLarge(thrown: unknown, { labels }: ParameterStore, tokens: number): TagstreamError {
  if (!exceedsMemory(thrown)) throw thrown;
  const problem = `${tokens} tokens with ${labels} labels do not fit into memory`;
  const fix = 'split the sentence, or link fewer of its tokens';
  return new TagstreamError('too-large', problem, { fix, cause: thrown });
}

/**
 * Decodes one sentence into its entry: the best label sequence that an automaton accepts, with its probability among
 * all accepted ones. Returns false if there is none, in which case the score tells why.
 *
 * If the overall best sequence is accepted, the cost is that of Viterbi; otherwise O(T L^2 Q).
 */
function decodeByRules(
  work: BatchWork,
  s: number,
  automaton: LabelAutomaton,
  { labels, scores, probabilities, logProbabilities }: DecodedDraft,
): boolean {
  const { kernel, lattice } = work;
  const { sentenceStarts } = lattice.batch!;
  scores[s] = kernel.viterbi(lattice, s, labels);
  if (!Number.isFinite(scores[s])) return false;
  if (!isAccepted(automaton, labels, sentenceStarts[s]!, sentenceStarts[s + 1]!)) {
    scores[s] = automatonViterbi(lattice, s, automaton, labels);
    if (!Number.isFinite(scores[s])) return false;
  }
  if (probabilities !== undefined) {
    const wide = work.wide();
    const score = wide.kernel.pathScore(wide.lattice, s, labels);
    const logZ = automatonLogSum(wide.lattice, s, automaton);
    if (!(Math.abs(logZ) < mostLog)) {
      scores[s] = logZ;
      return false;
    }
    const found = ofSequence(score - logZ);
    probabilities[s] = found.probability;
    logProbabilities![s] = found.logProbability;
  }
  return true;
}

/** @throws TagstreamError `config` if more than the best sequence is requested under rules */
function requireRulesOnly(options: DecodeOptions): void {
  const { decoding = 'viterbi', marginals = false, nbest, spanProbabilities } = options;
  const unfit =
    decoding !== 'viterbi'
      ? `decoding: ${decoding}`
      : marginals !== false
        ? 'marginals'
        : nbest !== undefined
          ? 'nbest'
          : spanProbabilities === true
            ? 'spanProbabilities'
            : undefined;
  if (unfit === undefined) return;
  throw new TagstreamError('config', `sequence rules cannot be combined with ${unfit}`, {
    fix: 'leave it out: under rules you get the best sequence and its probability',
  });
}

/**
 * Returns the error for rules that leave no label sequence together with all other restrictions.
 */
function rulesContradict(): TagstreamError {
  return new TagstreamError('constraint', 'no label sequence satisfies the sequence rules', {
    fix: 'the sentence may be too short for a required count, or its constraints may contradict the rules',
  });
}
