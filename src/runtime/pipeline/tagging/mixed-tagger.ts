import { isUtf8 } from 'node:buffer';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Registry } from '../../../engine/core/registry.js';
import { requireRulesFor } from '../../../engine/models/decoding/tag-rules.js';
import type { Model } from '../../../engine/models/model.js';
import type { TokenizeOptions } from '../../../engine/operators/tokenize.js';
import { isSpanScheme } from '../../../engine/text/tags/tag-scheme.js';
import { hasMarkedLine, isBlankByte } from '../../../formats/lines/line-bytes.js';
import type { BlockTask } from '../blocks/block-task.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { SourceComponent } from '../sources/source-component.js';
import { modelTokenizer } from '../stages/chosen-tokenizer.js';
import type { BlockTagger } from './block-tagger.js';
import type { PlainCodec } from './plain/more-results.js';
import { PlainTagger } from './plain/plain-tagger.js';
import type { TaggingOptions } from './tagging-options.js';
import type { BadInTagged, TaggedBlock, TaggingRun, TaggingWay } from './tagging-run.js';

const LF = 10;

/** Maximum number of consecutive records that are not plain to tag at a time. */
const mostRecords = 1024;

export interface MixedTaggerOptions {
  readonly tokenization?: TokenizeOptions | undefined;
  readonly sources?: Registry<SourceComponent> | undefined;
}

/** Tags blocks of whole records: plain ones on the fast path (`PlainTagger`), all others on the slow one. */
export class MixedTagger {
  readonly #plain: PlainTagger | undefined;
  readonly #makeAny: () => Promise<BlockTagger>;
  #any: Promise<BlockTagger> | undefined;

  /**
   * @param more how texts are tokenized, and the formats to which the codec belongs; default: the model's tokenization,
   * and Tagstream's formats
   */
  constructor(
    model: Model,
    codec: CodecChoice,
    options: TaggingOptions,
    more: MixedTaggerOptions = {},
  ) {
    const { tokenization = modelTokenizer(model), sources } = more;
    if (options.rules !== undefined) requireRulesFor(model, options.rules);
    if (options.redact !== undefined) requireSpans(model);
    // Records whose texts change are processed one by one.
    this.#plain =
      options.redact === undefined
        ? PlainTagger.of(model, codec, options, tokenization)
        : undefined;
    // Loaded on demand: most inputs only have plain records, and start faster without it.
    this.#makeAny = async () => {
      const [{ codecOf }, { BlockTagger }] = await Promise.all([
        import('../catalogue/codec-of.js'),
        import('./block-tagger.js'),
      ]);
      return new BlockTagger(model, codecOf(codec, sources), options, tokenization);
    };
  }

  /** Whether records can be plain with this model, format and options. */
  get takesPlain(): boolean {
    return this.#plain !== undefined;
  }

  /** Tags a block. Bad records come with the result; it rejects only because of bugs. */
  async tag(task: BlockTask): Promise<TaggedBlock> {
    const plain = this.#plain;
    // If any line is not UTF-8 or has a byte order mark, each line must be checked separately.
    const { bytes } = task.block;
    if (plain === undefined || hasMarkedLine(bytes) || !isUtf8(bytes)) return this.#tagAny(task);
    plain.open(bytes);
    const bad: BadInTagged[] = [];
    let records = 0;
    let read = 0;
    let blank = 0;
    let below = 0;
    for (let most = 1; ; most = Math.min(2 * most, mostRecords)) {
      const run = plain.run();
      records += run.records;
      read += run.records;
      blank += run.blank;
      if (!run.isCut) break;
      if (run.records > 0) most = 1;
      const part = partOf(task, plain.codec, most);
      const tagged = await this.#tagAny(part.task);
      const before = { number: read, output: plain.out.length };
      for (const one of tagged.bad) bad.push(after(before, one));
      plain.out.add(tagged.output);
      plain.codec.skip(part.task.block.bytes.length, part.lines);
      records += tagged.records;
      read += tagged.read;
      blank += tagged.blank;
      below += tagged.below ?? 0;
    }
    const spent = bad.length === 0 ? bytes.buffer : undefined;
    const notes = below === 0 ? {} : { below };
    return { output: plain.out.take(), records, read, blank, bad, spent, ...notes };
  }

  /** Takes back the output of a block once it is no longer in use. */
  reuse({ output }: Pick<TaggedBlock, 'output'>): void {
    this.#plain?.out.reuse(output);
  }

  async #tagAny(task: BlockTask): Promise<TaggedBlock> {
    this.#any ??= this.#makeAny();
    return (await this.#any).tag(task);
  }
}

/** Returns the tagger of a run's blocks with a given model. */
export function blockTaggerOf({
  source: { format, sources },
  tokenize,
}: Pick<TaggingRun, 'source' | 'tokenize'>): TaggingWay<MixedTagger>['make'] {
  return ({ model }, options) =>
    new MixedTagger(model, format, options, {
      tokenization: modelTokenizer(model, tokenize),
      sources,
    });
}

/**
 * Requires a model to find spans if they are to be redacted.
 *
 * @throws TagstreamError `config`
 */
export function requireSpans({ scheme, bundle }: Pick<Model, 'scheme' | 'bundle'>): void {
  if (isSpanScheme(scheme) || bundle?.spanColumn !== undefined) return;
  throw new TagstreamError(
    'config',
    'the tags of the model mark no spans, so there is nothing to redact',
    { fix: 'use a model with tags such as B-PER, I-PER and O' },
  );
}

/** Returns the next records, at most `most` of them, as a separate block. */
function partOf(
  { source, block }: BlockTask,
  { position, line, recordsAreLines }: PlainCodec,
  most: number,
): { readonly task: BlockTask; readonly lines: number } {
  const endOf = recordsAreLines ? lineEnd : recordEnd;
  let end = position;
  for (let i = 0; i < most && end < block.bytes.length; i += 1) end = endOf(block.bytes, end);
  const bytes = block.bytes.subarray(position, end);
  let lines = 0;
  for (const byte of bytes) if (byte === LF) lines += 1;
  const from = { offset: block.offset + position, line: block.line + line };
  return { task: { source, block: { bytes, ...from } }, lines };
}

function lineEnd(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(LF, from);
  return end < 0 ? bytes.length : end + 1;
}

/** Returns the position after the first blank line that follows another line. */
function recordEnd(bytes: Uint8Array, from: number): number {
  let hasRow = false;
  for (let at = from; at < bytes.length; ) {
    const end = lineEnd(bytes, at);
    const isBlank = bytes.subarray(at, end).every(byte => byte === LF || isBlankByte(byte));
    if (isBlank && hasRow) return end;
    hasRow ||= !isBlank;
    at = end;
  }
  return bytes.length;
}

/** Returns a bad record of a part of a block as a bad record of the whole block. */
function after(before: { number: number; output: number }, bad: BadInTagged): BadInTagged {
  return {
    ...bad,
    number: bad.number + before.number,
    outputBefore: bad.outputBefore + before.output,
  };
}
