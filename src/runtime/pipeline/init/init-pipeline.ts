import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';
import type { Delivery } from '../../../engine/core/delivery/delivery.js';
import { runLength } from '../../../engine/core/document-runs.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { counted, many } from '../../../engine/core/wording/numbers.js';
import { SharedSentences } from '../../../engine/models/inspection/training-sample.js';
import { placeOf } from '../../../engine/text/tags/chunk-boundaries.js';
import { detectScheme } from '../../../engine/text/tags/detect-scheme.js';
import { visible } from '../../../engine/text/visible.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { type OtherOffsets, otherOffsets } from '../../../formats/codecs/foreign/placed-spans.js';
import { fileIdentity } from '../../../formats/files/file-identity.js';
import { readsOnce } from '../../../formats/reading/read-bytes.js';
import type { Head } from '../../../formats/reading/read-head.js';
import { codecOf } from '../catalogue/codec-of.js';
import { parsePipeline } from '../loading/load-pipeline.js';
import { tokenizeOptions } from '../options/tokenize-options.js';
import { estimatePipeline, type ForeseenTraining } from '../run/estimate/estimate-pipeline.js';
import { fastRecipe, type Recipe, recipeFor, type Task } from '../training/recipe.js';
import { chooseColumns } from './choose-columns.js';
import { chooseFeatures } from './choose-features.js';
import type { ChosenTokenizer } from './choose-tokenizer.js';
import { type Guess, type Hints, isPhraseTag } from './guess/column-look.js';
import { countLabelled, isOverlap } from './labelled-record.js';
import { beginningOfFile, lookAtFile } from './look-at-file.js';
import { pipelineText } from './pipeline-text.js';
import { type Sample, sampleOf, wholeRecords } from './sample.js';

/** The inputs of a new pipeline. */
export interface InitOptions extends Hints {
  /** The labelled file. */
  readonly file: string;
  /** A second labelled file, for scoring the model. */
  readonly test?: string | undefined;
  /** Path of the pipeline file; paths in it are relative to its folder. */
  readonly out: string;
  /** Whether to make features from the tokens alone, so that raw text can be tagged. */
  readonly wordsOnly?: boolean | undefined;
  /** Whether to use a recipe that trains in a fraction of the time. */
  readonly fast?: boolean | undefined;
  /** Whether to learn a tokenizer too, so that the model splits raw text like the file. */
  readonly text?: boolean | undefined;
}

/** A new pipeline file, with remarks on it. */
export interface NewPipeline {
  readonly text: string;
  /** The recipe used in the text. */
  readonly recipe: Recipe;
  /** Returns the text for another recipe, named by default after the file. */
  textWith(recipe: Recipe, name?: string): string;
  readonly task: Task;
  /** The format of the labelled file. */
  readonly format: string;
  /** Whether the tags mark spans. */
  readonly spans: boolean;
  /** Whether the records name their documents. */
  readonly ofDocuments: boolean;
  /** Number of labelled records in the file. */
  readonly records: number;
  /** Tokens of the labelled records at the beginning of the file. */
  readonly sentences: readonly (readonly string[])[];
  /** The tokenizer in the text, if it is not the default. */
  readonly tokenizer: string | undefined;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  /** Estimates the training for one of the texts; reads the file once more. */
  estimate(text: string): Promise<ForeseenTraining | undefined>;
}

/** Number of bytes of a file that are examined. */
const looked = 2 ** 20;

/** Number of labels in the examined part from which rows for all labels are too large; see the guide on many labels. */
const manyLabels = 100;

/** Interval of held-out records, if there are at least `leastRecords`. */
const heldOutEvery = 10;
const leastRecords = 20;

/**
 * Makes a pipeline file for a labelled file, from its first megabyte and from counts of the whole file.
 *
 * @throws TagstreamError `file`, or the problem of the file: `wrong-shape`, `invalid-utf8`, `empty-sentence`
 */
export async function initPipeline(options: InitOptions): Promise<NewPipeline> {
  const { file, test, out } = options;
  const head = await beginningOfFile(file, looked);
  const { guess, codec, begin } = await readableGuess(lookAtFile(head, file, options), head, file);
  // Sentences are compared as the pipeline will split them.
  const { tokenizer } = begin;
  const tested =
    test === undefined
      ? []
      : (await sampleOf(await beginningOfFile(test, looked), codec, test, { tokenizer })).labelled;
  const shared = new SharedSentences(tested.map(({ tokens }) => ({ tokens: tokens! })));
  // Shared sentences are counted here, because the guess may have read the beginning several times.
  const first =
    test === undefined ? begin : await sampleOf(head, codec, file, { shared, tokenizer });
  const sample = await wholeSample(first, { head, codec, file, shared });
  const chosen = taskOf(options, guess, sample);
  const isOfText = options.text === true;
  const columns = options.wordsOnly === true || isOfText ? [] : guess.columns;
  const example = sample.labelled.find(
    ({ tokens, tags }) => tags !== undefined && tags.length > 2 && tokens!.length < 12,
  );
  // Transitions of letters follow from the text, so no labels are pruned.
  const hasManyLabels = chosen.task !== 'letters' && sample.labels.length >= manyLabels;
  const recipe = (options.fast === true ? fastRecipe : recipeFor)(chosen.task, {
    records: sample.records,
    tokens: sample.tokens,
    manyLabels: hasManyLabels,
  });
  const features = chooseFeatures(chosen.task, columns, recipe);
  const held = test === undefined && sample.records >= leastRecords ? heldOutEvery : undefined;
  // Letters have their own tokenizer.
  const usedTokenizer = chosen.task === 'letters' ? undefined : sample.tokenizer;
  if (isOfText && usedTokenizer === undefined) throw withoutText(file);
  const locale = isOfText ? localeOf(file) : undefined;
  const learned = isOfText ? { locale: locale ?? tokenizeOptions.parse({}).locale } : undefined;
  // Records of a document resemble each other.
  const run = held !== undefined && sample.ofDocuments ? runLength(sample.records, held) : 1;
  const folder = dirname(out);
  const textWith = (other: Recipe, name = chooseName(out, file, chosen.task)) =>
    pipelineText({
      name,
      task: chosen.task,
      guess,
      features: chooseFeatures(chosen.task, columns, other),
      recipe: other,
      trainFile: pathFrom(folder, file),
      testFile: test === undefined ? undefined : pathFrom(folder, test),
      ...{ heldOut: held, run },
      hasManyLabels,
      tokenizer: usedTokenizer,
      learned,
      columns:
        learned !== undefined && isOfParts(guess) ? chooseColumns(sample.labelled, other) : [],
      example,
      records: sample.records,
    });
  const text = textWith(recipe);
  parsePipeline(text, out, { environment: {} });
  const trained = sample.records - (held === undefined ? 0 : Math.floor(sample.records / held));
  return {
    estimate: chosenText =>
      estimatePipeline(parsePipeline(chosenText, out, { environment: {} }), trained),
    ...{ text, recipe, textWith, task: chosen.task, format: guess.format },
    ...{ spans: sample.scheme !== 'none', records: sample.records },
    ofDocuments: sample.ofDocuments,
    sentences: sample.labelled.map(({ tokens }) => tokens ?? []),
    tokenizer: usedTokenizer?.isDefault === false && !isOfText ? usedTokenizer.name : undefined,
    reasons: [
      `${file}: ${guess.reasons[0]}`,
      ...guess.reasons.slice(1),
      sizeOf(sample),
      `task ${chosen.task}: ${chosen.reason}; features: ${features.comment}`,
      `recipe: ${recipe.why}`,
      ...(hasManyLabels
        ? ['many labels: weights for observed pairs alone, and for each token its best few labels']
        : []),
      ...(usedTokenizer === undefined
        ? []
        : [
            isOfText
              ? `tokenizer: learned from the text of the file (of the built-in ones ${usedTokenizer.name} finds ${usedTokenizer.figures})`
              : `tokenizer ${usedTokenizer.name}: ${usedTokenizer.figures}`,
          ]),
      ...(learned === undefined
        ? []
        : [
            locale === undefined
              ? `locale ${learned.locale}: neither the file nor its folder is named after a language; change it for another language`
              : `locale ${locale}: by the name of the file or its folder`,
          ]),
      ...heldReason(test, held, run),
    ],
    warnings: [
      ...guess.warnings,
      ...badWarning(sample),
      ...sharedWarning(shared, { file, test }),
      ...(sample.scheme === 'none' || sample.openings === undefined ? [] : [sample.openings]),
      ...misalignedWarning(sample),
      ...(isOfText ? [] : spacedWarning(usedTokenizer)),
      ...unlabelledWarning(sample, guess.format),
      ...(await oddTagsWarning(sample, () => firstEmptyTag(head, codec))),
      ...columnWarning(features.columns),
    ],
  };
}

/** Returns the error about a file without texts: a tokenizer is learned from texts with known tokens. */
function withoutText(file: string): TagstreamError {
  return new TagstreamError('usage', '--text: no record has a text with its tokens', {
    place: { source: file },
    fix: 'give CoNLL-U that says which tokens have no space after them (SpaceAfter=No), or NDJSON with text and tokens; or leave --text out',
  });
}

/**
 * Returns the language after which a file or its folder is named: by its English name, or by its code as in Universal
 * Dependencies or before `train`, `dev` or `test`.
 *
 * @example
 * ['fr_sequoia-ud-train.conllu', 'ud-german-gsd/train.conllu'].map(localeOf) // => ['fr', 'de']
 * ['UD_Greek-GDT/a.conllu', 'turkish.conllu', 'hu-train.conllu'].map(localeOf) // => ['el', 'tr', 'hu']
 * ['train.conllu', 'my-letters.conllu'].map(localeOf) // => [undefined, undefined]
 */
export function localeOf(file: string): string | undefined {
  const [, treebank] = /^([a-z]{2,3})_[a-z]+-ud-/.exec(basename(file)) ?? [];
  if (treebank !== undefined) return treebank;
  const [, code] = /^([a-z]{2})[-_](?:.*[-_])?(?:train|dev|test)\./.exec(basename(file)) ?? [];
  if (code !== undefined && languageName(code) !== undefined) return code;
  for (const name of [basename(file), basename(dirname(resolve(file)))]) {
    const words = name.toLowerCase().split(/[-_. ]/);
    if (words[0] === 'ud') words.shift();
    for (let length = words.length; length > 0; length -= 1) {
      const found = languageNamed(words.slice(0, length).join(' '));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const letters = Array.from('abcdefghijklmnopqrstuvwxyz');

let names: Intl.DisplayNames | undefined;

/** Returns the English name of a language. The first call takes some 25 ms. */
function languageName(tag: string): string | undefined {
  names ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return names.of(tag);
}

/** Returns the two-letter language tag for an English name. */
function languageNamed(name: string): string | undefined {
  const isNamed = (tag: string) => languageName(tag)?.toLowerCase() === name;
  return letters.flatMap(first => letters.map(second => first + second)).find(isNamed);
}

/** Returns whether the tags are a treebank's parts of speech, from which its other columns can be learned. */
function isOfParts({ format, options }: Guess): boolean {
  return format === 'conllu' && (options.tag ?? 'upos') === 'upos';
}

function taskOf({ task }: Hints, guess: Guess, sample: Sample): ChosenTask {
  return task === undefined ? chooseTask(guess, sample) : { task, reason: 'as requested' };
}

/** The beginning of a file, with counts and labels of the whole file. */
interface Counted extends Sample {
  /** Number of unreadable records after the beginning, and the error of the first. */
  readonly bad?: { readonly count: number; readonly first: TagstreamError };
}

/** Counts the rest of a file, unless it can be read only once. */
async function wholeSample(
  sample: Sample,
  {
    head,
    codec,
    file,
    shared,
  }: { head: Head; codec: Codec; file: string; shared: SharedSentences },
): Promise<Counted> {
  if (head.whole || readsOnce(file)) return sample;
  const { bad, firstBad, ...counted } = await countLabelled(file, codec, {
    shared,
    tokenizer: sample.tokenizer?.tokenizer,
  });
  const scheme = detectScheme(counted.labels);
  const faults = firstBad === undefined ? {} : { bad: { count: bad, first: firstBad } };
  return { ...sample, ...counted, scheme, ...faults };
}

function sizeOf({ tokens, labels, records }: Sample): string {
  return [
    many(records, 'labelled record'),
    many(tokens, 'token'),
    many(labels.length, 'label'),
  ].join(', ');
}

function heldReason(test: string | undefined, held: number | undefined, run: number): string[] {
  if (test !== undefined) return [`test: ${test}`];
  return held === undefined
    ? ['test: none: there are too few records to hold any out']
    : [
        run === 1
          ? `test: one record in ${held}, held out of training`
          : `test: one run of ${run} records in ${held}, held out of training, as records of a document resemble each other`,
      ];
}

function badWarning({ bad }: Counted): string[] {
  if (bad === undefined) return [];
  return [`${counted(bad.count, 'record')} cannot be read; the first: ${bad.first.message}`];
}

/** Returns the warning that the test data is the training data, or shares sentences with it. */
function sharedWarning(
  shared: SharedSentences,
  { file, test }: Pick<InitOptions, 'file' | 'test'>,
): string[] {
  if (test === undefined) return [];
  if (fileIdentity(file) === fileIdentity(test) && fileIdentity(file) !== undefined) {
    return [
      `${test} is also the training data, so its scores say nothing about new text: leave it out to hold out one record in ten, or name another file`,
    ];
  }
  const warning = shared.warning(test);
  return warning === undefined ? [] : [warning];
}

/** Returns the warning about records that training skips because their spans cut tokens or overlap. */
function misalignedWarning({ misaligned, overlapping, records }: Sample): string[] {
  const all = misaligned + records;
  const cutting = misaligned - overlapping;
  const overlap =
    overlapping === 0
      ? []
      : [
          `${overlapping} of ${all} records have spans that overlap, or are in several pieces, and are rejected; with overlaps: longest in source, or first, one of them counts`,
        ];
  if (cutting === 0) return overlap;
  return [
    ...overlap,
    `${cutting} of ${all} records have spans that do not fit the tokens and are rejected; with misaligned: widen in source, or unknown, they count`,
  ];
}

/** Returns the warning about spaced punctuation: in most raw text, punctuation follows a word without a space. */
function spacedWarning(tokenizer: ChosenTokenizer | undefined): string[] {
  if (tokenizer?.name !== 'whitespace') return [];
  return [
    'the tokens of the file are separated by white space only, so "Oslo." in raw text is one token; to divide it, write tokenize: {}',
  ];
}

/**
 * Returns the warning about records without labels: exports omit texts without spans, which are as informative as
 * others.
 */
function unlabelledWarning({ unlabelled }: Sample, format: string): string[] {
  if (unlabelled === 0) return [];
  const [have, them] = unlabelled === 1 ? ['has', 'it'] : ['have', 'them'];
  const empty = format === 'spans' ? '; a text without spans has "spans": []' : '';
  return [
    `${counted(unlabelled, 'record')} ${have} no labels: training passes over ${them}${empty}`,
  ];
}

/**
 * Returns the warning about a few other tags among those of spans: they are probably mistakes, and make all tags seem
 * to be parts of speech.
 */
async function oddTagsWarning(
  { scheme, labels }: Counted,
  lineOfEmpty: () => Promise<number | undefined>,
): Promise<string[]> {
  if (scheme !== 'none' || !labels.some(label => /^B-./.test(label))) return [];
  const odd = labels.filter(label => label !== 'O' && placeOf(label) === undefined);
  if (odd.length * 2 >= labels.length) return [];
  const line = odd.includes('') ? await lineOfEmpty() : undefined;
  const empty = `an empty tag${line === undefined ? '' : ` (the first in the record at line ${line})`}`;
  const named = odd.slice(0, 5).map(tag => (tag === '' ? empty : visible(tag)));
  const shown = named.join(', ');
  return [
    `the tags would mark spans but for ${shown}${odd.length > 5 ? ', ...' : ''}: correct ${odd.length === 1 ? 'it' : 'them'}, and run init again`,
  ];
}

/** Returns the warning that a model with features from further columns cannot tag records without these columns. */
function columnWarning(columns: readonly string[]): string[] {
  if (columns.length === 0) return [];
  return [
    `the model will need ${columns.join(' and ')} in what it tags as well; with --words-only it can tag raw text`,
  ];
}

/** Returns the line of the first record with an empty tag; undefined if the beginning of a file has none. */
async function firstEmptyTag(head: Head, codec: Codec): Promise<number | undefined> {
  const deliver = (position: Delivery['position']): Delivery => ({
    position,
    release: () => undefined,
    ack: () => undefined,
    reject: () => undefined,
  });
  const context = { source: '', onBad: () => undefined, deliver };
  for await (const documents of codec.read([wholeRecords(head, codec, context.source)], context)) {
    const found = documents.find(({ tags, partialTags }) => (tags ?? partialTags)?.includes(''));
    if (found !== undefined) return found.delivery?.position.line;
  }
  return undefined;
}

/** A task, and why it was chosen. */
interface ChosenTask {
  readonly task: Task;
  readonly reason: string;
}

/** Chooses the task from the form of a file's tags, and from the number of tokens outside all spans. */
function chooseTask({ format }: Pick<Guess, 'format'>, sample: Sample): ChosenTask {
  const { scheme, outside, labels, tokenLength } = sample;
  if (format === 'letters' || tokenLength < 1.2) {
    return { task: 'letters', reason: 'the tokens are single letters' };
  }
  if (scheme === 'none') return { task: 'pos', reason: 'the tags mark no spans' };
  if (labels.some(isPhraseTag)) {
    return { task: 'chunk', reason: `the tags mark phrases, in ${scheme}` };
  }
  const share = `${Math.round(outside * 100)} % of the tokens are outside`;
  return outside < 0.5
    ? { task: 'chunk', reason: `the tags mark spans, in ${scheme}, and only ${share}` }
    : { task: 'ner', reason: `the tags mark spans, in ${scheme}, and ${share}` };
}

/** Names that say nothing about the contents of a file. */
const plain = /^(?:train|training|traindata|data|corpus|pipeline|-)$/i;

/**
 * Returns the name of a new pipeline: that of its own file, of the labelled file, or of the labelled file's folder.
 *
 * @example
 * chooseName('chunker.yaml', 'train.txt', 'chunk') // => 'chunker'
 * chooseName('pipeline.yaml', '/data/conll2000/train.txt', 'chunk') // => 'conll2000-chunk'
 */
export function chooseName(out: string, file: string, task: string): string {
  const stem = (path: string) =>
    cleaned(
      basename(path)
        .replace(/\.(?:gz|zst)$/, '')
        .replace(/\.[^.]*$/, ''),
    );
  const own = stem(out);
  if (own !== '' && !plain.test(own)) return own;
  const found = [stem(file), cleaned(basename(dirname(resolve(file))))].find(
    name => name !== '' && !plain.test(name),
  );
  return found === undefined ? task : `${found}-${task}`;
}

function cleaned(name: string): string {
  return name.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
}

/**
 * Returns a path for a pipeline file: relative to that file's folder, or absolute if it is far away.
 *
 * @example
 * pathFrom('/a/b', '/a/c/train.txt') // => '../c/train.txt'
 * pathFrom('/home/me/work', '/data/train.txt') // => '/data/train.txt'
 */
export function pathFrom(folder: string, file: string): string {
  const path = relative(resolve(folder), resolve(file)).replaceAll('\\', '/');
  return isAbsolute(path) || path.startsWith('../../../') ? resolve(file) : path;
}

/** A guess about a file, with the file's beginning read accordingly. */
interface ReadableGuess {
  readonly guess: Guess;
  readonly codec: Codec;
  readonly begin: Sample;
}

/**
 * Adds the options needed to read the records of an annotation tool: the unit of offsets, if some only fit in one unit,
 * and the annotation to use, if annotations differ.
 *
 * @throws the errors of `sampleOf`
 */
export async function readableGuess(
  guess: Guess,
  head: Head,
  file: string,
): Promise<ReadableGuess> {
  const { chosen, other } = await withAnnotations(guess, head, file);
  const offsets = other?.offsets;
  if (offsets === undefined) return chosen;
  const counted = await withOptions(chosen.guess, { offsets }, head, file).catch(() => undefined);
  // If offsets have different units in different records, each record is read with the unit that fits.
  if (counted === undefined || counted.begin.misaligned > chosen.begin.misaligned) return chosen;
  const reason = `  offsets fit the words only as ${other!.counts}: offsets: ${offsets}`;
  return { ...counted, guess: { ...counted.guess, reasons: [...guess.reasons, reason] } };
}

async function withAnnotations(guess: Guess, head: Head, file: string) {
  let other: OtherOffsets | undefined;
  const note = (message: unknown) => {
    const found = message as OtherOffsets;
    if (found.offsets !== undefined) other ??= found;
  };
  otherOffsets.subscribe(note);
  try {
    const chosen = await withOptions(guess, {}, head, file).catch(async (thrown: unknown) => {
      if (thrown instanceof TagstreamError && isOverlap(thrown)) {
        const longest = await withOptions(guess, { overlaps: 'longest' }, head, file).catch(() => {
          throw thrown;
        });
        const warning = `${thrown.problem}: the longest counts; set overlaps in source to first, or to reject, to leave such records out`;
        return {
          ...longest,
          guess: { ...longest.guess, warnings: [...guess.warnings, warning] },
        };
      }
      if (!severalAnnotate.includes(guess.format) || !(thrown instanceof TagstreamError))
        throw thrown;
      const first = await withOptions(guess, { annotations: 'first' }, head, file).catch(() => {
        throw thrown;
      });
      const warning = `${thrown.message.split(' (set annotations', 1)[0]}: the first counts; set annotations in source to each, majority or agree`;
      return { ...first, guess: { ...first.guess, warnings: [...guess.warnings, warning] } };
    });
    return { chosen, other };
  } finally {
    otherOffsets.unsubscribe(note);
  }
}

/** Formats whose records may have annotations by several people. */
const severalAnnotate: readonly string[] = ['label-studio', 'doccano'];

async function withOptions(
  guess: Guess,
  options: Guess['options'],
  head: Head,
  file: string,
): Promise<ReadableGuess> {
  const own = { ...guess.options, ...options };
  const codec = codecOf({ name: guess.format, options: own });
  return { guess: { ...guess, options: own }, codec, begin: await sampleOf(head, codec, file) };
}
