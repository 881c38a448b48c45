import { catchError, EMPTY, lastValueFrom, tap } from 'rxjs';
import type { Position } from '../engine/core/delivery/delivery.js';
import { TagstreamError } from '../engine/core/errors.js';
import type { Log } from '../engine/core/log.js';
import type { Registry } from '../engine/core/registry.js';
import type { Document } from '../engine/core/sentence/document.js';
import { SchemeCounts, tagFormOf } from '../engine/text/tags/detect-scheme.js';
import { SpanOpenings } from '../engine/text/tags/span-openings.js';
import { formOptions } from '../engine/text/tags/tag-form.js';
import { isSpanScheme } from '../engine/text/tags/tag-scheme.js';
import type { Codec } from '../formats/codecs/codec.js';
import { formatCalled } from '../formats/codecs/format-traits.js';
import { standardStreams } from '../formats/files/standard-streams.js';
import { sourceName } from '../formats/reading/open-input.js';
import { readPipesAhead, readsOnce } from '../formats/reading/read-bytes.js';
import { convert, type Replaced } from '../runtime/io/convert.js';
import { DeadLetters } from '../runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../runtime/io/sources/document-source.js';
import { codecOf } from '../runtime/pipeline/catalogue/codec-of.js';
import type { SourceComponent } from '../runtime/pipeline/sources/source-component.js';
import { divisionTokenizer } from '../runtime/pipeline/stages/tokenizer-file.js';
import { chosenDeadLetters } from './files/chosen-dead-letters.js';
import { chosenDivision, type TokenizerArguments, tokenizerFile } from './files/chosen-division.js';
import { convertibleFormat } from './files/convertible-format.js';
import { namedCodec, namedFormat } from './files/named-codec.js';
import { outputOfRecords } from './files/output-of-records.js';
import { requireFilesApart } from './files/require-files.js';
import type { BadRecordArguments } from './options/record-options.js';
import { filesUsed, pluginsOf, type UseArguments } from './options/use-option.js';
import { DroppedFields, reportOffsets } from './report/conversion-report.js';
import { reportedDeadLetters } from './report/reported-dead-letters.js';
import { reportBlankLines } from './report/run-messages.js';
import { textLog } from './report/text-log.js';

/** Arguments of `convert`. */
export interface ConvertArguments extends BadRecordArguments, UseArguments, TokenizerArguments {
  readonly inputs: readonly string[];
  readonly from?: string | undefined;
  readonly to: string;
  readonly out: string;
  /** Whether all texts are tokenized; an input that is not JSON is then plain text. */
  readonly tokenizes?: boolean | undefined;
}

/** Converts files from one format to another. */
export async function convertFiles(given: ConvertArguments): Promise<void> {
  requireFilesApart({
    reads: {
      'the input': given.inputs,
      'the model of the tokenizer': tokenizerFile(given),
      'the plug-in': filesUsed(given),
      'the file of abbreviations': given.abbreviations,
    },
    writes: { 'the output': given.out },
    deadLetters: chosenDeadLetters(given, { policy: 'skip' }),
  });
  await readPipesAhead([tokenizerFile(given)]);
  const division = chosenDivision(given);
  const tokenize =
    division === undefined && given.tokenizes !== true ? undefined : divisionTokenizer(division);
  const sources = (await pluginsOf(given))?.sources;
  const log = textLog('info');
  const from = await inputCodecOf(given, sources, log);
  refuseFields(given.to);
  const to = namedCodec(given.to, sources);
  const marksSpans =
    to.holdsSpans === true ? await marksSpansIn(given.inputs, from, log) : undefined;
  const openings = new SpanOpenings();
  const policy = from.lenient === true ? 'skip' : 'fail';
  const deadLetters = await reportedDeadLetters(given, { policy }, log);
  const output = await outputOfRecords(to, given.out, given.inputs, { log });
  let replaced = 0;
  let first: Replaced | undefined;
  const onReplaced = (one: Replaced) => {
    replaced += 1;
    first ??= one;
  };
  const dropped = new DroppedFields();
  let blank = 0;
  const onBlank = () => {
    blank += 1;
  };
  const exact = given.strict;
  const endOffsets = reportOffsets(log);
  try {
    await convert({
      ...{
        files: given.inputs,
        from,
        to,
        output,
        deadLetters,
        onReplaced,
        onDropped: one => dropped.add(one),
        onBlank,
        exact,
        tokenize,
        marksSpans,
        onDocument: ({ tags, delivery }: Document) => {
          if (tags !== undefined) openings.see(tags, () => placeOf(delivery?.position));
        },
      },
    });
  } finally {
    endOffsets();
    await deadLetters.finish();
    // Blank lines between records are not worth reporting here.
    if (from.holdsSpans === true) reportBlankLines(blank, log, from.name);
    const { warning, count } = openings;
    if (warning !== undefined) log.warn(warning, { openings: count });
    if (first !== undefined) reportReplaced(replaced, first, to.name, log);
    dropped.report(to.name, log);
  }
}

async function inputCodecOf(
  { from, inputs, tokenizes }: ConvertArguments,
  sources: Registry<SourceComponent> | undefined,
  log: Log,
): Promise<Codec> {
  const file = inputs[0]!;
  const isKnown = from?.includes(':') === true || formatCalled(from ?? '') === from;
  if (from !== undefined && (isKnown || file === '-')) return namedCodec(from, sources);
  const format = await convertibleFormat(
    file,
    sources,
    standardStreams().stdin,
    tokenizes === true,
  );
  if (format.guessed !== undefined) {
    log.info(`${sourceName(file)} reads as ${format.guessed} (--from names another format)`);
  }
  if (format.nameless !== undefined) {
    const { problem } = format.nameless;
    const field = problem.split(' ', 1)[0];
    const options = stringOf({ ...format.options, ...(field === 'tags' ? {} : { tag: field }) });
    log.warn(
      `${sourceName(file)}: ${problem}: they become no tags (name them: --from 'ndjson:{${options}labels: [O, B-PER, I-PER]}')`,
    );
  }
  return codecOf(format, sources);
}

function stringOf(options: Readonly<Record<string, unknown>>): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}: ${value}, `)
    .join('');
}

/**
 * Returns whether the tags in files mark spans, after examining all of them before anything is
 * written. Undefined if the files have their own spans, or cannot be read twice.
 */
async function marksSpansIn(
  files: readonly string[],
  from: Codec,
  log: Log,
): Promise<boolean | undefined> {
  if (from.holdsSpans === true || files.some(readsOnce)) return undefined;
  const counts = new SchemeCounts();
  const deadLetters = new DeadLetters({ policy: 'skip' });
  const read = documentSource({ files, codec: from, deadLetters }).pipe(
    tap(({ tags, delivery }) => {
      if (tags !== undefined) counts.add(tags);
      delivery?.release();
      delivery?.ack();
    }),
  );
  // For a file that cannot be read to its end, the conversion reports the error after the last
  // whole record.
  await lastValueFrom(read.pipe(catchError(() => EMPTY)), { defaultValue: undefined });
  const { scheme, odd } = counts;
  const form = tagFormOf(counts.labels);
  if (form !== undefined) {
    log.warn(
      `the tags mark spans in an unknown form: each token becomes a span (name it: ${formOptions(form)} in --from)`,
      { ...form },
    );
  }
  if (isSpanScheme(scheme) && odd.length > 0) {
    const shown = odd
      .slice(0, 5)
      .map(tag => JSON.stringify(tag.slice(0, 40)))
      .join(', ');
    log.warn(`the tags mark spans (${scheme}) but for ${shown}, which become no spans`, { odd });
  }
  return isSpanScheme(scheme) || [...counts.labels].every(tag => tag === 'O');
}

function placeOf(position: Position | undefined): string {
  return position === undefined ? 'a record' : `${sourceName(position.source)}:${position.line}`;
}

function reportReplaced(count: number, first: Replaced, format: string, log: Log): void {
  const { position, value, written } = first;
  const [from, to] = [value, written].map(text => JSON.stringify(text.slice(0, 40)));
  const place = position === undefined ? '' : `, the first at ${position.source}:${position.line}`;
  log.warn(
    `${count} ${count === 1 ? 'value' : 'values'} replaced that ${format} cannot hold${place}: ${from} became ${to} (--strict fails instead, NDJSON holds every value)`,
    { replaced: count },
  );
}

/**
 * Rejects options for result fields in other programs' records, as a conversion writes no results.
 */
function refuseFields(to: string): void {
  const found = ['textField', 'into'].find(name => namedFormat(to).options[name] !== undefined);
  if (found === undefined) return;
  throw new TagstreamError('usage', `--to ${to}: ${found} has no effect on output`, {
    fix: `leave ${found} out; --from can have textField`,
  });
}
