import { concatMap, from, type OperatorFunction } from 'rxjs';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import type { Model } from '../../../engine/models/model.js';
import type { TokenizeOptions } from '../../../engine/operators/tokenize.js';
import { policyFor } from '../../../formats/bad-records/bad-record.js';
import type { Codec, WriteOptions } from '../../../formats/codecs/codec.js';
import type { SourceDelivery } from '../../io/sources/source-delivery.js';
import { BlockReading } from '../blocks/block-reading.js';
import { type BlockTask, type NumberedBad, sentBad } from '../blocks/block-task.js';
import { modelTokenizer } from '../stages/chosen-tokenizer.js';
import type { TaggingOptions } from './tagging-options.js';
import type { BadInTagged, TaggedBlock } from './tagging-run.js';
import { taggingStages } from './tagging-stages.js';

/** The text of a tagged record, and the record's number in its block. */
interface Piece {
  readonly number: number;
  readonly text: string;
}

const batching = { sentences: 32 };

/** Tags blocks of whole records: reads, tags and writes them as `tagstream tag` does with a stream. */
export class BlockTagger {
  readonly #codec: Codec;
  readonly #output: TaggingOptions['output'];
  readonly #redact: TaggingOptions['redact'];
  readonly #passing: TaggingOptions['passing'];
  readonly #stages: OperatorFunction<Document, TaggedDocument>;

  /**
   * @param tokenization how texts are tokenized; default: like the model's training data
   */
  constructor(
    model: Model,
    codec: Codec,
    options: TaggingOptions,
    tokenization: TokenizeOptions = modelTokenizer(model),
  ) {
    this.#codec = codec.forTagging?.(options.passesTextless) ?? codec;
    this.#output = options.output;
    this.#passing = options.passing;
    this.#redact = options.redact;
    this.#stages = taggingStages(model, options, batching, { tokenization });
  }

  /** Tags a block. Bad records are in the result; the promise rejects only on a bug. */
  async tag(task: BlockTask): Promise<TaggedBlock> {
    const pieces: Piece[] = [];
    const reading = new BlockReading(this.#codec, task);
    const documents = from(reading.documents).pipe(concatMap(list => list));
    let below = 0;
    let textless = 0;
    const hooks = {
      onBelow: () => {
        below += 1;
      },
      onTextless: () => {
        textless += 1;
      },
    };
    await documents.pipe(this.#stages).forEach(tagged => {
      this.#write(tagged, pieces, hooks);
    });
    const { bad, blank, read } = reading;
    const all = this.#withPassed(pieces, bad);
    const notes = { ...(below > 0 && { below }), ...(textless > 0 && { textless }) };
    return { ...joined(all, bad), records: all.length, read, blank, ...notes };
  }

  /** Returns the results, and between them the bad records, which are written with their error. */
  #withPassed(pieces: readonly Piece[], bad: readonly NumberedBad[]): readonly Piece[] {
    const passing = this.#passing;
    const { writeBad } = this.#codec;
    if (passing === undefined || writeBad === undefined) return pieces;
    const passed = bad
      .filter(one => policyFor(one.bad.error.code, passing) === 'pass')
      .map(one => ({ number: one.number, text: writeBad(one.bad) }));
    if (passed.length === 0) return pieces;
    return [...pieces, ...passed].sort((a, b) => a.number - b.number);
  }

  #write(
    tagged: TaggedDocument,
    pieces: Piece[],
    hooks: Pick<WriteOptions, 'onBelow' | 'onTextless'>,
  ): void {
    const delivery = tagged.document.delivery as SourceDelivery;
    try {
      const text = this.#codec.write(tagged, {
        output: this.#output,
        redact: this.#redact,
        ...hooks,
      });
      pieces.push({ number: delivery.number, text });
    } catch (thrown) {
      if (!(thrown instanceof TagstreamError)) throw thrown;
      delivery.reject(thrown);
    }
  }
}

/** Joins the output, and returns the number of output bytes before each bad record. */
function joined(
  pieces: readonly Piece[],
  bad: readonly NumberedBad[],
): Pick<TaggedBlock, 'output' | 'bad'> {
  let text = '';
  let next = 0;
  const addUntil = (end: number) => {
    const before = text.length;
    for (; next < pieces.length && pieces[next]!.number < end; next += 1)
      text += pieces[next]!.text;
    return text.slice(before);
  };
  let outputBefore = 0;
  const badInBlock = bad.map((record): BadInTagged => {
    outputBefore += Buffer.byteLength(addUntil(record.number));
    return { ...sentBad(record), outputBefore };
  });
  addUntil(Number.POSITIVE_INFINITY);
  return { output: new TextEncoder().encode(text), bad: badInBlock };
}
