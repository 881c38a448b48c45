import { isUtf8 } from 'node:buffer';
import type { Registry } from '../../core/registry.js';
import type { Model } from '../../models/model.js';
import type { BlockTask } from '../blocks/block-task.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { SourceComponent } from '../sources/source-component.js';
import type { BlockTagger } from './block-tagger.js';
import { PlainTagger } from './plain-tagger.js';
import type { TaggingOptions } from './tagging-options.js';
import type { BadInTagged, TaggedBlock } from './tagging-task.js';

const LF = 10;

/** Most lines that are not plain to be tagged at a time, where many follow each other. */
const mostLines = 1024;

/** Tags blocks of whole records: plain ones in the short way (`PlainTagger`), all others in the long one. */
export class MixedTagger {
  readonly #plain: PlainTagger | undefined;
  readonly #makeAny: () => Promise<BlockTagger>;
  #any: Promise<BlockTagger> | undefined;

  /** @param sources formats that the codec is one of; those of Tagstream if absent */
  constructor(
    model: Model,
    codec: CodecChoice,
    options: TaggingOptions,
    sources?: Registry<SourceComponent>,
  ) {
    this.#plain = PlainTagger.of(model, codec, options);
    // Loaded when it is needed: most inputs have plain records only, and then start sooner.
    this.#makeAny = async () => {
      const [{ codecOf }, { BlockTagger }] = await Promise.all([
        import('../catalogue/codec-of.js'),
        import('./block-tagger.js'),
      ]);
      return new BlockTagger(model, codecOf(codec, sources), options);
    };
  }

  /** Bad records come with the result; rejects only with what is the program's own fault. */
  async tag(task: BlockTask): Promise<TaggedBlock> {
    const plain = this.#plain;
    // Where some line is not UTF-8, each has to be looked at by itself.
    const { bytes } = task.block;
    if (plain === undefined || !isUtf8(bytes)) return this.#tagAny(task);
    plain.open(bytes);
    const bad: BadInTagged[] = [];
    let records = 0;
    let read = 0;
    let blank = 0;
    for (let lines = 1; ; lines = Math.min(2 * lines, mostLines)) {
      const run = plain.run();
      records += run.records;
      read += run.records;
      blank += run.blank;
      if (!run.isCut) break;
      if (run.records > 0) lines = 1;
      const part = linesOf(task, plain, lines);
      const tagged = await this.#tagAny(part.task);
      const before = { number: read, output: plain.lines.length };
      for (const one of tagged.bad) bad.push(after(before, one));
      plain.lines.addBytes(tagged.output);
      plain.skip(part.task.block.bytes.length, part.lines);
      records += tagged.records;
      read += tagged.read;
      blank += tagged.blank;
    }
    const spent = bad.length === 0 ? bytes.buffer : undefined;
    return { output: plain.lines.take(), records, read, blank, bad, spent };
  }

  /** Takes back the output of a block when nobody looks at it any more. */
  reuse({ output }: TaggedBlock): void {
    this.#plain?.lines.reuse(output);
  }

  async #tagAny(task: BlockTask): Promise<TaggedBlock> {
    this.#any ??= this.#makeAny();
    return (await this.#any).tag(task);
  }
}

/** The lines that come next, at most so many, as a block of their own. */
function linesOf(
  { source, block }: BlockTask,
  { position, line }: PlainTagger,
  most: number,
): { readonly task: BlockTask; readonly lines: number } {
  let end = position;
  let lines = 0;
  while (lines < most && end < block.bytes.length) {
    const lineEnd = block.bytes.indexOf(LF, end);
    end = lineEnd < 0 ? block.bytes.length : lineEnd + 1;
    lines += 1;
  }
  const bytes = block.bytes.subarray(position, end);
  const from = { offset: block.offset + position, line: block.line + line };
  return { task: { source, block: { bytes, ...from } }, lines };
}

/** A bad record of a part of a block, as one of the whole. */
function after(before: { number: number; output: number }, bad: BadInTagged): BadInTagged {
  return {
    ...bad,
    number: bad.number + before.number,
    outputBefore: bad.outputBefore + before.output,
  };
}
