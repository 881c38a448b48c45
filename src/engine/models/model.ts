import { TagstreamError } from '../core/errors.js';
import type { AllowedLabels, EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import { joinRows, type PackedRows } from '../core/minibatch/packed-rows.js';
import { kinds, requireArgument } from '../core/schema/require-argument.js';
import type { PartialTag } from '../core/sentence/partial-tag.js';
import { requireWeight, type Sentence } from '../core/sentence/sentence.js';
import { counted } from '../core/wording/numbers.js';
import type { Predictions } from '../features/context/predictions.js';
import { FeatureExtractor } from '../features/extraction/feature-extractor.js';
import { ExactIndex } from '../features/index/exact-index.js';
import type { FeatureIndex } from '../features/index/feature-index.js';
import { HashedIndex } from '../features/index/hashed-index.js';
import { canGrow } from '../features/index/placed-index.js';
import { type EncodedLinks, LinkEncoder } from '../features/links/link-encoder.js';
import { SegmentEncoder } from '../features/segments/segment-encoder.js';
import { parseTemplates } from '../features/template/parse-templates.js';
import { KnownRows } from '../features/texts/string-features.js';
import type { TransitionMask } from '../inference/mask-scores.js';
import { scorerHas } from '../inference/scorers/scorers.js';
import type { Kernel } from '../kernels/kernel.js';
import { LinearMemory } from '../kernels/memory/linear-memory.js';
import { ParameterStore } from '../kernels/store/parameter-store.js';
import { detectScheme } from '../text/tags/detect-scheme.js';
import type { TagScheme } from '../text/tags/tag-scheme.js';
import type { BundledTokenizer } from '../text/tokenizers/bundled-tokenizer.js';
import type { BundledLayers } from './bundled-layers.js';
import { defaultKernel } from './default-kernel.js';
import { type GrowthLimit, labelsFit, type MostFeatures, mostFeatures } from './growth-limit.js';
import {
  allowedLabelsOf,
  certainLabels,
  type GivenLabels,
  statesOfGiven,
} from './labels/allowed-labels.js';
import {
  type CountedWords,
  DictionaryCounts,
  type LearnedWords,
} from './labels/dictionary-counts.js';
import { type LabelSet, partialBioes } from './labels/label-set.js';
import { observe } from './labels/observe.js';
import { SeenTransitions } from './labels/seen-transitions.js';
import { noLabels } from './labels/stored-labels.js';
import { TagDictionary } from './labels/tag-dictionary.js';
import { learnedRules, maskOf, type TransitionRules } from './labels/transition-rules.js';
import type { ModelSpec } from './model-spec.js';
import { parameterLayout } from './parameter-layout.js';

// Starts for a sentence without tokens.
const noStarts = new Uint32Array(1);
const noRows = new Uint32Array(0);

/** Parts of a model restored from a model file or a checkpoint. */
export interface ModelParts {
  readonly labels?: LabelSet;
  readonly stateIndex?: FeatureIndex;
  readonly edgeIndex?: FeatureIndex;
  readonly parameters?: ParameterStore;
  readonly kernel?: Kernel;
  readonly seen?: SeenTransitions;
  /** Rules from a model file, which replace those learned from sentences. */
  readonly rules?: TransitionRules;
  /** Learned dictionary, after which no words are counted. */
  readonly words?: LearnedWords;
  /** Dictionary counts so far, to resume from. */
  readonly counted?: CountedWords;
  /**
   * Limit on growth; the model must then be trained by a learner, which makes room. No limit if absent.
   */
  readonly limit?: GrowthLimit | undefined;
  /** Extractor for the specification's templates, over the memory of the index. */
  readonly extractor?: FeatureExtractor;
}

/** The tokenizer of a model file, with the model that labels its characters. */
export interface ModelTokenizer extends BundledTokenizer {
  readonly model: Model;
}

/**
 * A linear-chain model: labels, features and parameters.
 *
 * While it is not frozen, labelled sentences that it encodes add new labels and features; unlabelled
 * sentences never do.
 */
export class Model {
  readonly spec: ModelSpec;
  readonly labels: LabelSet;
  readonly stateIndex: FeatureIndex;
  readonly edgeIndex: FeatureIndex;
  readonly parameters: ParameterStore;
  readonly kernel: Kernel;
  readonly #extractor: FeatureExtractor;
  readonly #segments: SegmentEncoder | undefined;
  /** Encoder of the links between tokens, for graphs. */
  readonly links: LinkEncoder | undefined;
  /** Transitions between the labels of labelled sentences. */
  readonly seen: SeenTransitions;
  readonly #rules: TransitionRules | undefined;
  readonly #words: LearnedWords | undefined;
  #wordCounts: DictionaryCounts | undefined;
  /** Parameters of the model and of its twins. */
  #stores: ParameterStore[];
  #mask: { readonly of: string; readonly mask: TransitionMask | undefined } | undefined;
  #dictionary: { readonly of: LearnedWords; readonly is: TagDictionary } | undefined;
  #scheme: TagScheme = 'none';
  /** Number of labels when the scheme was determined. */
  #schemeOf = 0;
  /** Limit on the model's growth. */
  readonly limit: GrowthLimit | undefined;
  #most: { readonly of: string; readonly is: MostFeatures } | undefined;
  #lastEncoded: EncodedSentence | undefined;
  /** Whether encoding adds no labels or features. */
  frozen = false;
  /** First model whose predictions the templates use; must be set before anything is encoded. */
  first: Predictions | undefined;
  /** Tokenizer, if it was learned. */
  tokenizer: ModelTokenizer | undefined;
  /** Taggers that follow the model, if it is the first of several. */
  bundle: BundledLayers | undefined;
  /** Number of sentences in a pass over the training corpus, N, once it is known. */
  corpusSize: number | undefined;

  /** @throws TagstreamError `template` if the templates do not parse */
  constructor(spec: ModelSpec, parts: ModelParts = {}) {
    requireArgument('Model: the specification', spec, kinds.spec);
    this.spec = spec;
    requireEncodable(spec);
    // Indexes and extraction share one memory.
    const memory = parts.stateIndex?.memory ?? new LinearMemory();
    const extractor = parts.extractor ?? extractorOf(spec, memory);
    this.#extractor = extractor;
    this.labels = parts.labels ?? noLabels(spec);
    this.limit = parts.limit;
    const canShrink = parts.limit !== undefined;
    this.stateIndex = parts.stateIndex ?? emptyIndex(spec, 'rows', memory, canShrink);
    this.edgeIndex = parts.edgeIndex ?? emptyIndex(spec, 'edgeRows', memory, canShrink);
    this.kernel = parts.kernel ?? defaultKernel;
    this.seen = parts.seen ?? new SeenTransitions();
    this.#rules = parts.rules;
    this.#words = parts.words;
    if (parts.words === undefined && spec.dictionary !== undefined) {
      this.#wordCounts = new DictionaryCounts(spec.dictionary.minCount, parts.counted);
    }
    if (spec.segments !== undefined) {
      this.#segments = new SegmentEncoder(spec.segments, spec.columns, memory, spec.resources);
    }
    if (spec.graph !== undefined) this.links = new LinkEncoder(spec.graph, memory, this.labels);
    const layout = parameterLayout(spec, extractor.set, this.kernel.precision, this.labels);
    this.parameters = parts.parameters ?? new ParameterStore(layout);
    this.#stores = [this.parameters];
  }

  /**
   * Returns a model with the same labels and features but its own parameters. It learns from
   * sentences encoded by this model, so that several learners share one encoding. A `Contest` keeps
   * the features of both equal.
   *
   * @param parameters the twin's existing parameters, if restored
   * @throws TagstreamError `config` if features are pruned by their weights
   */
  twin(parameters?: ParameterStore): Model {
    if (this.spec.index.mode === 'exact' && this.spec.index.pruneEvery !== undefined) {
      throw new TagstreamError('config', 'a model that prunes features cannot share them', {
        fix: 'leave pruneEvery out, or create a second model',
      });
    }
    const { labels, stateIndex, edgeIndex, kernel, seen, limit } = this;
    const twin = new Model(this.spec, {
      ...{ labels, stateIndex, edgeIndex, kernel, seen, limit },
      ...(this.#rules === undefined ? {} : { rules: this.#rules }),
      ...(this.#words === undefined ? {} : { words: this.#words }),
      ...(parameters === undefined ? {} : { parameters }),
    });
    twin.#wordCounts = this.#wordCounts;
    twin.#stores = this.#stores;
    twin.#stores.push(twin.parameters);
    twin.corpusSize = this.corpusSize;
    return twin;
  }

  /** Forgets a twin that is no longer used. */
  part(twin: Model): void {
    const at = this.#stores.indexOf(twin.parameters);
    if (at >= 0) this.#stores.splice(at, 1);
  }

  /** Adds the label pairs of a sentence encoded by a twin, if only observed pairs have weights. */
  meet(encoded: EncodedSentence): void {
    const { gold, allowed } = encoded;
    if (this.frozen || (gold === undefined && allowed === undefined)) return;
    this.#observe(encoded);
  }

  /** Maximum numbers of features within the limit, for the current labels and planes. */
  get mostFeatures(): MostFeatures | undefined {
    if (this.limit === undefined) return undefined;
    const { width, planes } = this.parameters;
    const of = `${width} ${planes.length}`;
    if (this.#most?.of !== of) {
      const hasEdges = this.#extractor.hasEdges || this.#segments?.hasPairs === true;
      const is = mostFeatures(this.limit, this.parameters, hasEdges);
      this.#most = { of, is };
    }
    return this.#most.is;
  }

  /** Sentence encoded last, if there is a limit. */
  get lastEncoded(): EncodedSentence | undefined {
    return this.#lastEncoded;
  }

  /** Feature extractor, for callers that need more than rows. */
  get extractor(): FeatureExtractor {
    return this.#extractor;
  }

  /** Encoder of span features, if spans are scored. */
  get segments(): SegmentEncoder | undefined {
    return this.#segments;
  }

  /** Scheme of the labels: `none` unless they look like `O`, `B-X`, `I-X`, ... */
  get scheme(): TagScheme {
    if (this.#schemeOf !== this.labels.size) {
      this.#scheme = detectScheme(this.labels.names);
      this.#schemeOf = this.labels.size;
    }
    return this.#scheme;
  }

  /** Scheme of the reported tags; undefined if several schemes have the same labels, such as IOB1 and BIO. */
  get reportedScheme(): TagScheme | undefined {
    const scheme = detectScheme(this.labels.reported);
    if (scheme === 'none' || this.labels.encode !== undefined) return scheme;
    // Data in this scheme leaves the model without rules.
    return this.transitionRules.scheme === scheme ? scheme : undefined;
  }

  /** Allowed transitions, by the scheme and by those seen in labelled sentences. */
  get transitionRules(): TransitionRules {
    return this.#rules ?? learnedRules(this.labels.names, this.scheme, this.seen);
  }

  /** Transitions that these rules forbid; undefined if there are none. */
  get transitionMask(): TransitionMask | undefined {
    const of = `${this.labels.size} ${this.seen.size}`;
    if (this.#mask?.of !== of) {
      this.#mask = {
        of,
        mask: maskOf(this.transitionRules, this.labels.names, this.labels.states),
      };
    }
    return this.#mask.mask;
  }

  /** Frequent words with their labels, if the specification requests a tag dictionary. */
  get learnedWords(): LearnedWords | undefined {
    return this.#words ?? this.#wordCounts?.words();
  }

  /** Counts of the dictionary's words until the model is frozen. */
  get countedWords(): CountedWords | undefined {
    return this.frozen ? undefined : this.#wordCounts?.save();
  }

  /** Dictionary of the learned words. */
  get dictionary(): TagDictionary | undefined {
    const words = this.learnedWords;
    if (words === undefined) return undefined;
    if (this.#dictionary?.of !== words) {
      this.#dictionary = { of: words, is: new TagDictionary(words, this.labels) };
    }
    return this.#dictionary.is;
  }

  /**
   * Returns a sentence's features and gold labels as rows and numbers. Unless the model is frozen, a fully or
   * partially labelled sentence adds its new labels and features; a sentence without tokens adds nothing.
   *
   * @throws TagstreamError `length-mismatch`, `unknown-column`, `not-a-number`, `unknown-label` if a token may
   * have no label, `wrong-shape` for an invalid weight, `too-large` for new labels that do not fit into the limit
   */
  encode(sentence: Sentence): EncodedSentence {
    const isLabelled = sentence.tags !== undefined || sentence.partialTags !== undefined;
    const grow = !this.frozen && isLabelled;
    // Features are not yet final until the lexicon is known.
    const { readsLexicon, plan } = this.#extractor;
    const isKnown = !readsLexicon || plan.words.lexicon !== undefined;
    return this.#encode(sentence, grow && isKnown, grow);
  }

  /**
   * Encodes a sentence again that was encoded before the lexicon was known; its labels are already
   * known.
   */
  encodeAgain(sentence: Sentence): EncodedSentence {
    return this.#encode(sentence, !this.frozen);
  }

  /**
   * Encodes a sentence with the currently known labels and features; adds nothing, and does not protect its
   * features from eviction.
   */
  encodeKnown(sentence: Sentence): EncodedSentence {
    const last = this.#lastEncoded;
    const encoded = this.#encode(sentence, false);
    this.#lastEncoded = last;
    return encoded;
  }

  /**
   * Returns the sentence with a first model's predictions, if templates need them and it does not have them
   * yet.
   */
  placed(sentence: Sentence): Sentence {
    const isPlaced = this.first === undefined || sentence.context?.word !== undefined;
    return isPlaced ? sentence : this.first!.alone(sentence);
  }

  #encode(alone: Sentence, grow: boolean, growsLabels = false): EncodedSentence {
    const sentence = this.placed(alone);
    const length = sentence.tokens.length;
    const tags = sentence.tags ?? sentence.partialTags;
    if (tags !== undefined && tags.length !== length) {
      throw new TagstreamError(
        'length-mismatch',
        `${counted(length, 'token')} but ${counted(tags.length, 'tag')}`,
        { fix: 'give one tag per token' },
      );
    }
    if (growsLabels) requireWeight(sentence.weight);
    // Nothing can be learned from such a sentence, so it is treated as unlabelled.
    if (length === 0) return this.#encodeEmpty(sentence);
    const adds = grow && this.#hasRoom(length);
    const { tables } = this.parameters.layout;
    const isPlain = [tables, this.#segments, this.links].every(part => part === undefined);
    let late: KnownRows | undefined;
    // The extractor is slow if it uses other sentences or a packed index; otherwise it is the faster way for a single
    // sentence.
    const { readsDocuments, readsPredictions } = this.#extractor;
    const isSlow = readsDocuments || readsPredictions || !this.stateIndex.canGrow;
    if (isPlain && isSlow && this.frozen) {
      late = KnownRows.of(this.#extractor, this.stateIndex, sentence);
    }
    let state: (PackedRows & { readonly templates?: Uint32Array }) | undefined = late;
    if (state === undefined) {
      this.#extractor.open(sentence);
      const kind = tables !== undefined && tags !== undefined ? 'locatedState' : 'state';
      state = this.#extractor[kind](length, this.stateIndex, adds);
    }
    const candidates = this.#segments?.encode('state', sentence, this.stateIndex, adds);
    const own = this.#extractor.hasEdges
      ? this.#extractor.edges(length, this.edgeIndex, adds)
      : undefined;
    const edges = this.#segments?.hasPairs
      ? joinRows([
          own ?? { starts: new Uint32Array(length + 1), rows: noRows },
          this.#segments.encode('edge', sentence, this.edgeIndex, adds),
        ])
      : own;
    const links = this.links?.encode(sentence, this.edgeIndex, adds);
    const given = this.#given(sentence, growsLabels);
    const { gold, allowed } =
      this.labels.states === 1 ? given : statesOfGiven(given, this.labels.states);
    const labelled = {
      ...(gold === undefined ? {} : { gold }),
      ...(allowed === undefined ? {} : { allowed }),
      ...(sentence.weight === undefined ? {} : { weight: sentence.weight }),
      sentence,
    };
    const rows = candidates === undefined ? state : joinRows([state, candidates]);
    const encoded: EncodedSentence =
      late !== undefined
        ? lateSentence(length, late, labelled)
        : {
            length,
            stateStarts: rows.starts,
            stateRows: rows.rows,
            ...(candidates === undefined ? {} : { candidates: candidates.starts.length - 1 }),
            ...(rows.values === undefined ? {} : { stateValues: rows.values }),
            ...(state.templates === undefined ? {} : { stateTemplates: state.templates }),
            ...(edges === undefined ? {} : edgeFields(edges)),
            ...(links === undefined ? {} : linkedRows(state, edges, links)),
            ...labelled,
          };
    if (grow) this.#observe(encoded);
    if (this.limit !== undefined) this.#lastEncoded = encoded;
    return encoded;
  }

  /** Adds observed weights unless features await selection. */
  #observe(encoded: EncodedSentence): void {
    const { spec, labels, parameters } = this;
    if (spec.support !== 'observed' || labels.codes !== undefined || selects(spec)) return;
    this.reserve();
    observe(parameters, encoded, labels);
  }

  /** Encodes a sentence without tokens, in the same form as others. */
  #encodeEmpty(sentence: Sentence): EncodedSentence {
    const hasCandidates = this.#segments !== undefined || this.links !== undefined;
    return {
      ...{ length: 0, stateStarts: noStarts, stateRows: noRows, sentence },
      ...(hasCandidates ? { candidates: 0 } : {}),
    };
  }

  /** Returns the full or partial labels of a sentence, and records new ones. */
  #given(sentence: Sentence, grow: boolean): GivenLabels {
    const { tags, partialTags, tokens } = sentence;
    const known = this.labels.size;
    const gold = tags === undefined ? undefined : this.#gold(tags, grow);
    const allowed = gold === undefined ? this.#allowed(partialTags, grow) : undefined;
    if (this.labels.size > known && this.links !== undefined) this.#requireRoom(sentence, known);
    if (grow && gold !== undefined) {
      this.seen.note(gold);
      this.#wordCounts?.note(tokens, gold);
    }
    if (grow && allowed !== undefined) {
      this.seen.note(certainLabels(allowed));
      this.#wordCounts?.noteAllowed(tokens, allowed);
    }
    return { gold, allowed };
  }

  /** Makes room in the parameters for all labels and features seen so far. */
  reserve(): void {
    const { stateIndex, edgeIndex } = this;
    if (canGrow(stateIndex) && canGrow(edgeIndex) && stateIndex.prunes) {
      const rows = stateIndex.takeReused();
      const blocks = edgeIndex.takeReused();
      for (const { reused } of this.#stores) {
        for (const row of rows) reused.state.push(row);
        // Block 0 is the plain transitions.
        for (const row of blocks) reused.edges.push(row + 1);
      }
    }
    this.parameters.reserve({
      labels: this.labels.columns,
      stateRows: this.stateIndex.size,
      edgeRows: this.edgeIndex.size + 1,
    });
  }

  /**
   * Whether the features of a sentence, if all were new, would fit into twice the limit; beyond it,
   * minibatches between two evictions add no new features.
   */
  #hasRoom(length: number): boolean {
    const { stateIndex, edgeIndex, mostFeatures: most } = this;
    if (most === undefined) return true;
    if (!(canGrow(stateIndex) && canGrow(edgeIndex))) return true;
    const { plan } = this.#extractor;
    const ofSegments = this.#segments?.candidates(1) ?? 0;
    const perToken = plan.state.length + ofSegments * (this.#segments?.count('state') ?? 0);
    const pairs = plan.edge.length + ofSegments * (this.#segments?.count('edge') ?? 0);
    return (
      stateIndex.entries + length * perToken <= 2 * most.state &&
      edgeIndex.entries + length * pairs <= 2 * most.edges
    );
  }

  /** @throws TagstreamError `too-large` if a sentence's links do not fit with its new labels, which are then forgotten */
  #requireRoom(sentence: Sentence, known: number): void {
    try {
      this.links!.requireRoom(sentence);
    } catch (error) {
      this.labels.truncate(known);
      throw error;
    }
  }

  /**
   * @throws TagstreamError `too-large` if the labels from number `known` on do not fit, in which case they are
   *   forgotten
   */
  #requireLabels(known: number): void {
    const { labels, limit, parameters } = this;
    if (limit === undefined || labels.size === known) return;
    if (labelsFit(limit, parameters, labels.columns)) return;
    const name = labels.name(known);
    labels.truncate(known);
    throw new TagstreamError(
      'too-large',
      `the label "${name}" is new, and the model has no room for more than its ${known} labels`,
      {
        fix: 'check that it is a label; if so, raise maxBytes, or lower maxFeatures or hashed.rows',
      },
    );
  }

  #gold(tags: readonly string[], grow: boolean): Int32Array {
    const known = this.labels.size;
    const gold = this.labels.goldOf(tags, grow);
    this.#requireLabels(known);
    return gold;
  }

  #allowed(tags: readonly PartialTag[] | undefined, grow: boolean): AllowedLabels | undefined {
    if (tags === undefined) return undefined;
    const { labels } = this;
    const known = labels.size;
    const given = labels.encode === undefined ? tags : partialBioes(tags);
    const allowed = allowedLabelsOf(given, name =>
      grow ? labels.intern(name) : labels.find(name),
    );
    this.#requireLabels(known);
    return allowed;
  }
}

function emptyIndex(
  spec: ModelSpec,
  rows: 'rows' | 'edgeRows',
  memory: LinearMemory,
  canShrink: boolean,
): FeatureIndex {
  if (spec.index.mode === 'hashed') return new HashedIndex(spec.index[rows], memory);
  const prunes = canShrink || spec.index.pruneEvery !== undefined;
  return new ExactIndex(spec.index.cutoff, memory, prunes);
}

function extractorOf(spec: ModelSpec, memory: LinearMemory): FeatureExtractor {
  const templates = parseTemplates(spec.templates, undefined, spec.functions);
  return new FeatureExtractor(templates, spec.columns, memory, spec.resources);
}

function selects({ index }: ModelSpec): boolean {
  return index.mode === 'exact' && index.information !== undefined;
}

/** Returns the transition features of an encoded sentence. */
function edgeFields(edges: PackedRows): Partial<EncodedSentence> {
  return {
    edgeStarts: edges.starts,
    edgeRows: edges.rows,
    ...(edges.values === undefined ? {} : { edgeValues: edges.values }),
  };
}

/**
 * Rejects settings that cannot be combined with labels in a different scheme than the records.
 *
 * @throws TagstreamError `config`
 */
function requireEncodable(spec: ModelSpec): void {
  if (spec.encode === undefined) return;
  const { hidden, layers, parts, codes, segments, graph, dictionary, scorer } = spec;
  const others = { hidden, layers, parts, codes, segments, graph, dictionary };
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  const wrong = scorerHas(scorer, 'encodings') ? other : `scorer: ${scorer}`;
  if (wrong === undefined) return;
  throw new TagstreamError('config', `encode: bioes cannot be combined with ${wrong}`, {
    fix: 'leave one of them out: only a plain chain can encode its labels in another scheme',
  });
}

/** Returns an encoded sentence whose rows are found on demand. */
function lateSentence(
  length: number,
  late: KnownRows,
  labelled: Pick<EncodedSentence, 'gold' | 'allowed' | 'weight' | 'sentence'>,
): EncodedSentence {
  late.holder = {
    length,
    late,
    get stateStarts() {
      return late.starts;
    },
    get stateRows() {
      return late.rows;
    },
    ...labelled,
  };
  return late.holder;
}

/**
 * Returns the fields of an encoded sentence with links: candidates follow the tokens, have no state features,
 * and have the link type as edge feature.
 */
function linkedRows(
  state: PackedRows,
  edges: PackedRows | undefined,
  { links, rows }: EncodedLinks,
): Partial<EncodedSentence> {
  const length = state.starts.length - 1;
  const none = { starts: new Uint32Array(length + 1), rows: new Uint32Array(0) };
  const empty = { starts: new Uint32Array(rows.starts.length), rows: none.rows };
  const states = joinRows([state, empty]);
  const joined = joinRows([edges ?? none, rows]);
  return {
    stateStarts: states.starts,
    stateRows: states.rows,
    ...(states.values === undefined ? {} : { stateValues: states.values }),
    edgeStarts: joined.starts,
    edgeRows: joined.rows,
    ...(joined.values === undefined ? {} : { edgeValues: joined.values }),
    candidates: rows.starts.length - 1,
    links,
  };
}
