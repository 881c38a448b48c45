import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { lastValueFrom, takeWhile, tap } from 'rxjs';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import { listCoverage, listProblems } from '../../../engine/features/resources/list-coverage.js';
import { SharedSentences } from '../../../engine/models/inspection/training-sample.js';
import type { Model } from '../../../engine/models/model.js';
import { tokenize } from '../../../engine/operators/tokenize.js';
import { tagFormOf } from '../../../engine/text/tags/detect-scheme.js';
import { SpanOpenings } from '../../../engine/text/tags/span-openings.js';
import { formOptions } from '../../../engine/text/tags/tag-form.js';
import { hasRules, schemeAllows } from '../../../engine/text/tags/tag-scheme.js';
import { fileIdentity } from '../../../formats/files/file-identity.js';
import { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { documentSource } from '../../io/sources/document-source.js';
import type { Pipeline } from '../definition/pipeline.js';
import { sourceFiles } from '../definition/places.js';
import { RemoteSentence } from '../extraction/packed-sentences.js';
import type { SentenceReading } from '../setup/read-sentences.js';
import { type ChosenSource, filesOf, selectionOf, selects } from '../sources/source-component.js';

/**
 * Returns the warning that held-out data comes from a file of the training data, even under another name; undefined if
 * it does not, or if one of the two only reads part of the records.
 *
 * @param what name of the held-out data
 */
export function sameFileWarning(
  pipeline: Pick<Pipeline, 'source' | 'baseDirectory'>,
  heldOut: ChosenSource,
  what: string,
): string | undefined {
  const { source, baseDirectory } = pipeline;
  if (selects(source.options) || selects(heldOut.options)) return undefined;
  const known = new Set(sourceFiles(pipeline).map(file => fileIdentity(file)));
  known.delete(undefined);
  const file = filesOf(heldOut.options).find(
    path => path !== '-' && known.has(fileIdentity(resolve(baseDirectory, path))),
  );
  if (file === undefined) return undefined;
  return `${what}, ${file}, is the training data, so its scores say nothing about new text; name another file, or hold out a part: split: { every: 10, take: [9] } there, and except: [9] in the source`;
}

/**
 * Returns the warning about spans of a corpus that begin in a way that their scheme forbids; undefined if there are
 * none.
 */
export function openingsWarning(
  model: Model,
  corpus: readonly EncodedSentence[],
): string | undefined {
  if (!mayOpen(model)) return undefined;
  const { names, encode } = model.labels;
  const openings = new SpanOpenings();
  for (const [i, { gold, sentence }] of corpus.entries()) {
    if (gold === undefined || gold.includes(-1)) continue;
    const tags = encode === undefined ? Array.from(gold, y => names[y]!) : sentence.tags!;
    openings.see(tags, () => placeOf(sentence, i));
  }
  return openings.warning;
}

/** Returns a warning about labels that mark spans in an unknown notation; undefined if no labels do. */
export function formWarning({ labels, scheme }: Model): string | undefined {
  const form = scheme === 'none' ? tagFormOf(labels.names) : undefined;
  if (form === undefined) return undefined;
  return `the tags mark spans in an unknown form: they count as ${labels.names.length} classes, and no spans are scored; set ${formOptions(form)} in source`;
}

/** Number of corpus tokens that are looked up in lists to measure coverage. */
const lookedUp = 200_000;

/**
 * Returns warnings about clusters and vectors that do not match the words of a corpus, from its first 200,000 tokens.
 */
export function listWarnings(
  { spec: { resources } }: Model,
  corpus: readonly EncodedSentence[],
): string[] {
  if (resources?.clusters === undefined && resources?.vectors === undefined) return [];
  return listCoverage(resources, tokensOf(corpus)).flatMap(listProblems);
}

/** Yields the first tokens of a corpus, if its sentences were kept. */
function* tokensOf(corpus: readonly EncodedSentence[]): Generator<string> {
  let left = lookedUp;
  for (const { sentence } of corpus) {
    if (left <= 0 || sentence instanceof RemoteSentence) return;
    yield* sentence.tokens;
    left -= sentence.tokens.length;
  }
}

/**
 * Returns whether spans may begin in a forbidden way: labels made from the tags hide it; otherwise the observed
 * transitions show it. Every scheme with rules has those of BIO, among them that no span begins with `I`.
 */
function mayOpen({ labels, scheme, seen }: Model): boolean {
  if (!hasRules(scheme)) return false;
  if (labels.encode !== undefined) return true;
  for (const [from, to] of seen.pairs()) {
    if (to >= 0 && !schemeAllows(scheme, labels.names[from], labels.names[to])) return true;
  }
  return false;
}

function placeOf(sentence: Sentence, i: number): string {
  const position = sentence.delivery?.position;
  if (position !== undefined) return `${position.source}:${position.line}`;
  const { id } = sentence.document;
  return `labelled sentence ${i + 1}${id === undefined ? '' : ` (${id})`}`;
}

/**
 * Returns the warning about held-out sentences that are also in the training data; undefined if they are few.
 */
export async function sharedWarning(
  corpus: TrainingCorpus,
  heldOut: readonly Sentence[],
  what: string,
): Promise<string | undefined> {
  const { sentences } = corpus;
  if (sentences === undefined) return undefined;
  const shared = new SharedSentences(heldOut);
  if (corpus.isElsewhere) {
    await corpus.readAgain(
      sentence => shared.look(sentence),
      () => shared.isDone,
    );
  } else for (const { sentence } of sentences) shared.look(sentence);
  return shared.warning(what);
}

/** The corpus of a training run, from the first step until the model is written; it can be read again. */
export class TrainingCorpus {
  readonly #source: ChosenSource;
  readonly #reading: SentenceReading;
  #sentences: readonly EncodedSentence[] | undefined;

  constructor(source: ChosenSource, reading: SentenceReading) {
    this.#source = source;
    this.#reading = reading;
  }

  /** The sentences; undefined if unknown, for example in a resumed run that had already finished. */
  get sentences(): readonly EncodedSentence[] | undefined {
    return this.#sentences;
  }

  /** Whether its words are in another thread. */
  get isElsewhere(): boolean {
    return this.#sentences?.some(({ sentence }) => sentence instanceof RemoteSentence) === true;
  }

  keep(sentences: readonly EncodedSentence[]): void {
    this.#sentences = sentences;
  }

  /** Releases its sentences, whose memory a model being packed can use. */
  letGo(): void {
    this.#sentences = undefined;
  }

  /**
   * Reads the regular files of the source again; bad records have already been reported.
   *
   * @param isDone returns whether enough sentences have been read
   */
  async readAgain(onSentence: (sentence: Sentence) => void, isDone: () => boolean): Promise<void> {
    return readAgain(this.#source, this.#reading, onSentence, isDone);
  }
}

async function readAgain(
  { component, options }: ChosenSource,
  { paths, tokenizer }: SentenceReading,
  onSentence: (sentence: Sentence) => void,
  isDone: () => boolean,
): Promise<void> {
  const files = filesOf(options).map(file => paths.resolve(file));
  if (files.some(file => statSync(file, { throwIfNoEntry: false })?.isFile() !== true)) return;
  const sentences = documentSource({
    files,
    codec: component.codec(options),
    deadLetters: new DeadLetters({ policy: 'skip' }),
    selection: selectionOf(options),
  }).pipe(
    tap(document => {
      document.delivery?.release();
      document.delivery?.ack();
    }),
    tokenize(tokenizer),
    tap(onSentence),
    takeWhile(() => !isDone()),
  );
  await lastValueFrom(sentences, { defaultValue: undefined });
}
