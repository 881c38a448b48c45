import { concat, defer, ignoreElements, type Observable, tap } from 'rxjs';
import { TagstreamError } from '../../core/errors.js';
import { type EncodedSentence, isLabelled } from '../../core/minibatch/encoded-sentence.js';
import { kinds, requireItem } from '../../core/schema/require-argument.js';
import { requireWeight, type Sentence } from '../../core/sentence/sentence.js';
import { settleCorpus } from '../../models/learning/settle-corpus.js';
import type { Model } from '../../models/model.js';

/**
 * Collects the labelled sentences of a stream, settles them as a corpus, numbers them, and emits the
 * results of `visit`.
 *
 * When the corpus is complete the model is frozen and its size fixed; if there is a cutoff, rarer
 * features are dropped and all sentences encoded again. Collected sentences are released and
 * acknowledged: a corpus stays in memory on purpose.
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
    const corpus: EncodedSentence[] = [];
    let leavesOut = false;
    const collecting = source.pipe(
      tap(sentence => {
        requireItem(operator, sentence, kinds.encoded);
        if (isLabelled(sentence)) {
          if (!canLearn(sentence)) return;
          corpus.push(leavesOut ? inOwnMemory(sentence) : sentence);
        } else leavesOut = true;
        sentence.sentence.delivery?.release();
        sentence.sentence.delivery?.ack();
      }),
      ignoreElements(),
    );
    const visiting = defer(() => {
      if (corpus.length === 0) throw noLabelledSentence();
      return visit(numbered(settleCorpus(model, corpus)));
    });
    return concat(collecting, visiting);
  });
}

function numbered(corpus: readonly EncodedSentence[]): EncodedSentence[] {
  // So that the engine sees from the start that numbers occur too.
  new CorpusSentence(corpus[0]!, 0, 1);
  return corpus.map((encoded, number) => new CorpusSentence(encoded, number, undefined));
}

/**
 * Copies rows, because they share a slab with those of neighbouring sentences, all of which one kept sentence would
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
 * Whether its weight is valid for learning; if not, its record is rejected. A growing model has already
 * checked that, but not the frozen model of a run resumed from a checkpoint.
 */
function canLearn({ weight, sentence }: EncodedSentence): boolean {
  try {
    requireWeight(weight);
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
 * A sentence of a corpus visited in passes, with its index and the pass that it ends.
 *
 * All share one hidden class, whether they end a pass or not: an additional property, or another kind of value, would
 * make the engine recompile everything that reads sentences, in each pass. The fields named here are stored in the object
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
