import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { lastValueFrom, type Observable, of, tap } from 'rxjs';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Column, Document } from '../../engine/core/sentence/document.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import type { ModelNotes } from '../../engine/models/files/model-notes.js';
import { contributionWords } from '../../engine/models/inspection/contribution-words.js';
import { explainSentence } from '../../engine/models/inspection/explain.js';
import type {
  ScoreContribution,
  TokenExplanation,
} from '../../engine/models/inspection/explanation.js';
import { FeatureNamer } from '../../engine/models/inspection/feature-namer.js';
import { inspectModel } from '../../engine/models/inspection/inspect-model.js';
import {
  type InspectedModel,
  readInspected,
} from '../../engine/models/inspection/read-inspected.js';
import { sparsityPattern } from '../../engine/models/inspection/sparsity-pattern.js';
import { kernels } from '../../engine/models/kernels.js';
import type { Model } from '../../engine/models/model.js';
import { tokenize } from '../../engine/operators/tokenize.js';
import { visible } from '../../engine/text/visible.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import { readBytes, readPipesAhead } from '../../formats/reading/read-bytes.js';
import { sparsityPicture } from '../../reports/sparsity/sparsity-picture.js';
import { DeadLetters } from '../../runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../runtime/io/sources/document-source.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { readRulesFile } from '../../runtime/pipeline/options/rule-options.js';
import { modelTokenizer } from '../../runtime/pipeline/stages/chosen-tokenizer.js';
import { inputCodec } from '../files/input-codec.js';
import { requireFilesApart } from '../files/require-files.js';
import type { KernelArguments } from '../options/computing-options.js';
import { pluginsOf, type UseArguments } from '../options/use-option.js';
import { printJson, printText } from '../report/terminal.js';
import { aligned } from './aligned.js';
import { type Paint, paintFor, summaryText } from './summary-text.js';

/** Arguments of `inspect`. */
export interface InspectArguments extends KernelArguments, UseArguments {
  readonly model: string;
  readonly top: number;
  readonly label?: string | undefined;
  readonly feature?: string | undefined;
  readonly data?: string | undefined;
  readonly explain?: string | undefined;
  /** Path of a rules file for the explained sentences. */
  readonly rules?: string | undefined;
  readonly sparsity?: string | undefined;
  readonly columns?: string | undefined;
  readonly format?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Shows a model, or the reasons for its tags. */
export async function inspectFile(given: InspectArguments): Promise<void> {
  const { model: file, top } = given;
  if (!Number.isInteger(top) || top < 1) {
    throw new TagstreamError('usage', `--top ${top} is not a number of features`, {
      fix: 'give a whole number of at least 1',
    });
  }
  if (given.format !== undefined && given.data === undefined && given.explain === undefined) {
    throw new TagstreamError('usage', '--format needs a file in that format', {
      fix: 'name the file with --explain or --data',
    });
  }
  requireFilesApart({
    reads: { 'the model': file },
    writes: { 'the picture': given.sparsity },
  });
  const match = given.feature === undefined ? undefined : expressionOf(given.feature);
  await readPipesAhead([file]);
  const plugins = await pluginsOf(given);
  const kernel = kernels[given.kernel ?? 'simd'];
  const inspected = readInspected(readBytes(file), file, kernel, plugins?.functions);
  if (given.sparsity !== undefined) return writeSparsity(file, inspected, given.sparsity);
  if (given.explain !== undefined) return explain(inspected.model, given);
  const names =
    given.data === undefined ? undefined : await namesFrom(given.data, inspected.model, given);
  const summary = inspectModel(inspected, {
    top,
    ...(given.label === undefined ? {} : { label: given.label }),
    ...(match === undefined ? {} : { match }),
    ...(names === undefined ? {} : { names }),
  });
  if (given.json === true) printJson(summary);
  else printText(summaryText(summary, top, paintFor(standardStreams().stdout)), true);
}

/** @throws (rejects with) TagstreamError `file` if it cannot be written */
function writeSparsity(model: string, inspected: InspectedModel, picture: string): Promise<void> {
  return writeWhole(picture, sparsityPicture(basename(model), sparsityPattern(inspected)));
}

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch (cause) {
    throw new TagstreamError('usage', `--feature is not a regular expression: ${String(cause)}`, {
      fix: 'escape literal ( ) [ ] { } . * + ? ^ $ | with a backslash',
      cause,
    });
  }
}

/** Collects the names of a model's features from the tokens of a file. */
async function namesFrom(
  file: string,
  model: Model,
  given: InspectArguments,
): Promise<ModelNotes['names']> {
  const namer = new FeatureNamer(model);
  await forEachSentence(await recordsOf(file, model, given), model, sentence => {
    if (!namer.done) namer.addSentence(sentence);
  });
  return { state: namer.names('state'), edge: namer.names('edge') };
}

async function explain(model: Model, given: InspectArguments): Promise<void> {
  const paint = paintFor(standardStreams().stdout);
  let shown = 0;
  const rules = given.rules === undefined ? undefined : readRulesFile(given.rules);
  await forEachSentence(await toExplain(model, given), model, sentence => {
    const tokens = explainSentence(model, sentence, { rules });
    const { id } = sentence.document;
    if (given.json === true) {
      printJson({ ...(id === undefined ? {} : { id }), tokens });
      return;
    }
    const title = id === undefined ? '' : `${paint.faint(`record ${visible(id)}`)}\n\n`;
    const text = explanationText(tokens, given.top, paint);
    printText(`${shown === 0 ? '' : '\n'}${title}${text}\n`, true);
    shown += 1;
  });
}

/** Returns a text, or the records of a file or the standard input. */
async function toExplain(
  model: Model,
  { explain: what = '-', ...given }: InspectArguments,
): Promise<Observable<Document>> {
  const isFile = statSync(what, { throwIfNoEntry: false })?.isFile() === true;
  if (what !== '-' && !isFile) {
    const columns = columnsFrom(given.columns);
    // A letter model splits a word, not a text.
    if (model.spec.input?.codec === 'letters') return of({ tokens: Array.from(what), columns });
    return of({ text: what, columns });
  }
  if (given.columns !== undefined) {
    throw new TagstreamError('usage', '--columns applies only to a text on the command line', {
      fix: 'records contain their columns',
    });
  }
  return recordsOf(what, model, given);
}

async function recordsOf(
  file: string,
  { spec }: Model,
  { format: named, use }: InspectArguments,
): Promise<Observable<Document>> {
  const sources = (await pluginsOf({ use }))?.sources;
  const codec = await inputCodec(
    { file, named, spec, sources, untagged: true },
    standardStreams().stdin,
  );
  const deadLetters = new DeadLetters({ policy: 'fail' });
  return documentSource({ files: [file], codec, deadLetters });
}

async function forEachSentence(
  documents: Observable<Document>,
  model: Model,
  visit: (sentence: Sentence) => void,
): Promise<void> {
  const sentences = documents.pipe(
    tokenize(modelTokenizer(model)),
    tap(sentence => {
      visit(sentence);
      sentence.delivery?.release();
    }),
  );
  await lastValueFrom(sentences, { defaultValue: undefined });
}

function columnsFrom(json: string | undefined): Readonly<Record<string, Column>> {
  if (json === undefined) return {};
  let columns: unknown;
  try {
    columns = JSON.parse(json);
  } catch {
    columns = undefined;
  }
  const valid =
    typeof columns === 'object' &&
    columns !== null &&
    Object.values(columns).every(
      column =>
        Array.isArray(column) &&
        (column.every(item => typeof item === 'string') ||
          column.every(item => typeof item === 'number')),
    );
  if (valid) return columns as Record<string, Column>;
  throw new TagstreamError('usage', `--columns ${json} is not an object of columns`, {
    fix: `write them as JSON: --columns '{"pos": ["NNP", "VBD"]}'`,
  });
}

/**
 * Formats the explanation of a sentence's tags as lines of text, with the `top` contributions of
 * each.
 */
export function explanationText(
  tokens: readonly TokenExplanation[],
  top: number,
  paint: Paint,
): string {
  return tokens.map(token => tokenText(token, top, paint)).join('\n\n');
}

function tokenText(explained: TokenExplanation, top: number, paint: Paint): string {
  const { token, tag, probability, runnerUp, difference, contributions, state } = explained;
  const ruled = rulesText(explained, paint);
  const head = `${paint.strong(visible(token))}  ${paint.strong(visible(state ?? tag))} ${chance(probability)}`;
  if (runnerUp === undefined) {
    return [`${head}  ${paint.faint('no other tag is possible here')}`, ...ruled].join('\n');
  }
  const shown = contributions.slice(0, top);
  const rest = contributions.slice(top);
  const restSum = rest.reduce((sum, { amount }) => sum + amount, 0);
  const rows = shown.map(each => [
    amount(each.amount, paint),
    contributionWords(each, visible(each.name)),
    { text: detail(each), paint: paint.faint },
  ]);
  if (rest.length > 0) {
    rows.push([
      amount(restSum, paint),
      `the rest: ${rest.length} more`,
      { text: '', paint: paint.faint },
    ]);
  }
  const against = `against ${visible(runnerUp.state ?? runnerUp.tag)} ${chance(runnerUp.probability)}`;
  const score = `score ${signed(difference!)}`;
  const lines = aligned(rows, { right: [0], indent: '  ' });
  return [`${head}  ${against}  ${score}`, ...ruled, ...lines].join('\n');
}

/** Returns the rules that apply to a token, one per line, and its tag without them. */
function rulesText({ rules = [], withoutRules }: TokenExplanation, paint: Paint): string[] {
  const lines = rules.map(({ effect, label, weight, from }) => {
    const by = weight === undefined ? '' : ` by ${weight}`;
    return `  rule: ${effect} ${visible(label)}${by} ${paint.faint(`(${visible(from)})`)}`;
  });
  if (withoutRules !== undefined) lines.push(`  without rules: ${visible(withoutRules)}`);
  return lines;
}

function amount(value: number, paint: Paint) {
  return { text: signed(value), paint: (text: string) => paint.signed(text, value) };
}

function detail({ chosen, runnerUp, value, columns }: ScoreContribution): string {
  if (columns !== undefined)
    return `${signed(chosen)} less ${signed(runnerUp)}  ${visible(columns)}`;
  const weights = `${signed(chosen)} less ${signed(runnerUp)}`;
  return value === 1 ? weights : `(${weights}) x ${shortened(value)}`;
}

/** Returns a feature value with six significant digits. */
function shortened(value: number): number {
  return Number(value.toPrecision(6));
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
}

/** Formats a probability; a value below 1 is never shown as 1. */
function chance(probability: number): string {
  if (probability < 1 && probability > 0.99995) return '>0.9999';
  if (probability > 0 && probability < 0.00005) return '<0.0001';
  return probability.toFixed(4);
}
