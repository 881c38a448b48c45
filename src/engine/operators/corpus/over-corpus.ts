import { concat, defer, ignoreElements, type Observable, tap } from 'rxjs';
import { TagstreamError } from '../../core/errors.js';
import { type EncodedSentence, isLabelled } from '../../core/minibatch/encoded-sentence.js';
import { kinds, requireItem } from '../../core/schema/require-argument.js';
import { requireWeight, type Sentence } from '../../core/sentence/sentence.js';
import { type LinkEncoder, mostLabels } from '../../features/links/link-encoder.js';
import { settleCorpus } from '../../models/learning/settle-corpus.js';
import type { Model } from '../../models/model.js';

/**
 * Collects the labelled sentences of a stream as a settled corpus with numbered sentences, and emits the results of
 * `visit`.
 *
 * When the corpus is complete, the model is frozen and its size fixed; with a cutoff, rarer features are dropped and
 * all sentences are encoded again. Collected sentences are released and acknowledged, because the corpus stays in
 * memory on purpose.
 *
 * @throws TagstreamError `empty-sentence` if there is no labelled sentence
 */
export function overCorpus<Item>(
  model: Model,
  source: Observable<EncodedSentence>,
  operator: 'passes' | 'iterate',
  visit: (corpus: readonly EncodedSentence[]) => Observable<Item>,
): Observable<Item> {
  return defer(() => {
    let corpus: EncodedSentence[] = [];
    const linked = new LinkedSentences();
    let leavesOut = false;
    const collecting = source.pipe(
      tap(sentence => {
        requireItem(operator, sentence, kinds.encoded);
        if (isLabelled(sentence)) {
          if (!canLearn(sentence)) return;
          corpus.push(leavesOut ? inOwnMemory(sentence) : sentence);
          if (model.links !== undefined) linked.add(corpus.at(-1)!, model.links);
        } else leavesOut = true;
        if (linked.mostLabels < model.labels.size) corpus = linked.rejectFrom(corpus, model);
        sentence.sentence.delivery?.release();
        sentence.sentence.delivery?.ack();
      }),
      ignoreElements(),
    );
    const visiting = defer(() => {
      linked.done();
      if (corpus.length === 0) throw noLabelledSentence();
      return visit(numbered(settleCorpus(model, corpus)));
    });
    return concat(collecting, visiting);
  });
}

/**
 * Sentences of a corpus with links of three or more tokens, whose scores grow with a power of the number of labels. If
 * later labels are too many for a sentence, it is rejected, although it was released and acknowledged.
 */
class LinkedSentences {
  #held: HeldSentence[] = [];
  /** Maximum number of labels that all sentences have room for. */
  mostLabels = Number.POSITIVE_INFINITY;

  add(encoded: EncodedSentence, links: LinkEncoder): void {
    if (encoded.links?.cliques === undefined) return;
    const most = mostLabels(links.linksOf(encoded.sentence).map(({ tokens }) => tokens.length));
    const letGo = encoded.sentence.delivery?.keep?.();
    this.#held.push({ encoded, mostLabels: most, letGo });
    this.mostLabels = Math.min(this.mostLabels, most);
  }

  /** Returns the remaining sentences. Cost O(corpus), whenever a sentence has too little room for all labels. */
  rejectFrom(corpus: readonly EncodedSentence[], { labels, links }: Model): EncodedSentence[] {
    const tooLarge = new Set<EncodedSentence>();
    for (const { encoded, mostLabels, letGo } of this.#held) {
      if (mostLabels >= labels.size) continue;
      tooLarge.add(encoded);
      const learns = canLearnFrom(encoded, () => links!.requireRoom(encoded.sentence));
      if (!learns) letGo?.();
    }
    this.#held = this.#held.filter(({ encoded }) => !tooLarge.has(encoded));
    this.mostLabels = Number.POSITIVE_INFINITY;
    for (const each of this.#held) this.mostLabels = Math.min(this.mostLabels, each.mostLabels);
    return corpus.filter(encoded => !tooLarge.has(encoded));
  }

  /** Releases all held sentences: all labels are known. */
  done(): void {
    for (const { letGo } of this.#held) letGo?.();
  }
}

/** A sentence that may yet be rejected. */
interface HeldSentence {
  readonly encoded: EncodedSentence;
  readonly mostLabels: number;
  readonly letGo: (() => void) | undefined;
}

function numbered(corpus: readonly EncodedSentence[]): EncodedSentence[] {
  // Shows the engine from the start that numbers occur too.
  new CorpusSentence(corpus[0]!, 0, 1);
  return corpus.map((encoded, number) => new CorpusSentence(encoded, number, undefined));
}

/**
 * Copies rows out of the slab that they share with neighbouring sentences, which a single kept sentence would otherwise
 * retain.
 */
function inOwnMemory(sentence: EncodedSentence): EncodedSentence {
  const { stateStarts, stateRows, edgeStarts, edgeRows } = sentence;
  return {
    ...sentence,
    ...{ stateStarts: stateStarts.slice(), stateRows: stateRows.slice() },
    ...(edgeStarts === undefined ? {} : { edgeStarts: edgeStarts.slice() }),
    ...(edgeRows === undefined ? {} : { edgeRows: edgeRows.slice() }),
  };
}

/**
 * Returns whether a sentence's weight is valid for learning; if not, rejects its record. A growing model has already
 * checked it, but the frozen model of a run resumed from a checkpoint has not.
 */
function canLearn(encoded: EncodedSentence): boolean {
  return canLearnFrom(encoded, () => requireWeight(encoded.weight));
}

function canLearnFrom({ sentence }: EncodedSentence, check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (sentence.delivery === undefined) throw error;
    sentence.delivery.reject(TagstreamError.from(error, 'stage'));
    return false;
  }
}

function noLabelledSentence(): TagstreamError {
  return new TagstreamError('empty-sentence', 'the corpus has no labelled sentence', {
    fix: 'check the tag column of the source',
  });
}

/**
 * A sentence of a corpus visited in passes, with its index and, if it ends a pass, the number of the pass.
 *
 * All share one hidden class, whether they end a pass or not: an additional property or another kind of value would
 * make the engine recompile all code that reads sentences in each pass. The declared fields are stored in the object
 * itself, not in a separate array that each visit would have to fetch.
 */
export class CorpusSentence implements EncodedSentence {
  readonly length: number;
  readonly passEnd: number | undefined;
  readonly stateStarts: Uint32Array;
  readonly stateRows: Uint32Array;
  declare readonly number: number;
  readonly sentence: Sentence;

  constructor(encoded: EncodedSentence, number: number | undefined, passEnd: number | undefined) {
    this.length = encoded.length;
    this.stateStarts = encoded.stateStarts;
    this.stateRows = encoded.stateRows;
    this.sentence = encoded.sentence;
    Object.assign(this, encoded);
    this.passEnd = passEnd;
    if (number !== undefined) this.number = number;
  }
}
