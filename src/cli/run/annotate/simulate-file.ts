import { basename } from 'node:path';
import { lastValueFrom, tap, toArray } from 'rxjs';
import { simulate } from '../../../annotation/simulation/simulate.js';
import {
  simulationPicture,
  simulationStudy,
  simulationText,
  summarizeSimulation,
} from '../../../annotation/simulation/simulation-report.js';
import { strategyOf } from '../../../annotation/strategies/strategies.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Log } from '../../../engine/core/log.js';
import { Random } from '../../../engine/core/random.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { tokenize } from '../../../engine/operators/tokenize.js';
import { detectScheme } from '../../../engine/text/tags/detect-scheme.js';
import { isSpanScheme } from '../../../engine/text/tags/tag-scheme.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { standardStreams } from '../../../formats/files/standard-streams.js';
import { sourceName } from '../../../formats/reading/open-input.js';
import { studyPage } from '../../../reports/study/study-page.js';
import { DeadLetters } from '../../../runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../runtime/io/sources/document-source.js';
import { writeWhole } from '../../../runtime/io/writing/write-whole.js';
import { codecOf } from '../../../runtime/pipeline/catalogue/codec-of.js';
import { convertibleFormat } from '../../files/convertible-format.js';
import { inputCodec } from '../../files/input-codec.js';
import { requireFilesApart, requirePageFile } from '../../files/require-files.js';
import type { Reporting } from '../../report/reporting.js';
import { printText } from '../../report/terminal.js';
import { stopSignal } from '../../signals/stop-signal.js';
import type { AnnotateArguments } from './annotate-options.js';

/** Share of the sentences held out if no test file is given. */
const heldOut = 0.2;

/**
 * Simulates the annotator with a labelled file, prints the labelling effort of each strategy, and
 * draws it if requested.
 */
export async function simulateFile(
  given: AnnotateArguments & { readonly simulate: string },
  report: Reporting,
): Promise<void> {
  const { simulate: file, format, html, svg, seeds = 3, tokens = 22_000, reach } = given;
  requirePageFile(html);
  if (svg === '-') {
    throw new TagstreamError('usage', '--svg - would mix the picture with the scores', {
      fix: 'name a file',
    });
  }
  requireFilesApart({
    reads: { '--simulate': file, '--test': given.test },
    writes: { '--html': html, '--svg': svg },
  });
  const names = given.strategies ?? 'random,diversity,spans';
  const strategies = names.split(',').map(name => strategyOf(name.trim()));
  const all = await labelled(file, format, report.log);
  const { gold, test } =
    given.test === undefined
      ? divided(all)
      : { gold: all, test: await labelled(given.test, format, report.log) };
  const tags = new Set(gold.flatMap(sentence => sentence.tags!));
  const spans = isSpanScheme(detectScheme(tags));
  const preset = given.preset ?? (spans ? 'ner' : 'pos');
  const stop = stopSignal(report, given.shutdownTimeout);
  try {
    const runs = await simulate({
      ...{ gold, test, strategies, seeds, tokens, preset, reach, signal: stop.signal },
      onPoint: ({ strategy, seed, looked, corrections, score }) =>
        report.log.info(
          `${strategy}, seed ${seed}: ${counted(looked, 'token')}, ${counted(corrections, 'correction')}, ${score.toFixed(2)}`,
          { strategy, seed, looked, corrections, score },
        ),
    });
    const summaries = summarizeSimulation(runs);
    const measure = spans ? 'F1' : 'accuracy';
    printText(simulationText(summaries, measure));
    const title = `Labelling ${basename(file)}`;
    if (svg !== undefined) await writeWhole(svg, simulationPicture(summaries, { title, measure }));
    if (html === undefined) return;
    const about = `${counted(seeds, 'run')} of each strategy on ${counted(gold.length, 'sentence')}, scored on ${test.length}`;
    await writeWhole(html, studyPage(simulationStudy(summaries, { title, measure, runs: about })));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    report.log.warn('stopped early: the log has the results of the finished runs');
  } finally {
    stop.dispose();
  }
}

/** @throws TagstreamError `empty-sentence` if no sentence is labelled */
async function labelled(file: string, named: string | undefined, log: Log): Promise<Sentence[]> {
  const codec = await codecFor(file, named, log);
  const deadLetters = new DeadLetters({ policy: 'fail' });
  const read = documentSource({ files: [file], codec, deadLetters }).pipe(
    tap(({ delivery }) => {
      delivery?.release();
      delivery?.ack();
    }),
    tokenize(),
    toArray(),
  );
  const sentences = (await lastValueFrom(read)).filter(({ tags }) => tags !== undefined);
  if (sentences.length > 1) return sentences;
  throw new TagstreamError('empty-sentence', 'there are no labelled sentences', {
    place: { source: file },
    fix: 'check the format and the column of the tags',
  });
}

/** Returns the named codec, otherwise the one determined from the file's content. */
async function codecFor(file: string, named: string | undefined, log: Log): Promise<Codec> {
  if (named !== undefined) return inputCodec({ file, named }, standardStreams().stdin);
  const format = await convertibleFormat(
    file,
    undefined,
    standardStreams().stdin,
    false,
    '--format',
  );
  if (format.guessed !== undefined) {
    log.info(`${sourceName(file)} reads as ${format.guessed} (--format names another one)`);
  }
  return codecOf(format);
}

function divided(all: readonly Sentence[]) {
  const order = new Random(1).shuffle(Uint32Array.from(all.keys()));
  const held = Math.max(1, Math.round(heldOut * all.length));
  const of = (numbers: Uint32Array) => Array.from(numbers.sort(), i => all[i]!);
  return { test: of(order.slice(0, held)), gold: of(order.slice(held)) };
}
