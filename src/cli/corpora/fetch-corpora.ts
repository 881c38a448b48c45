import { join } from 'node:path';
import cliProgress from 'cli-progress';
import { grouped, many } from '../../engine/core/wording/numbers.js';
import { visible } from '../../engine/text/visible.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import type { Dropped } from '../../runtime/io/convert.js';
import { convertCorpus } from '../../runtime/pipeline/corpora/convert-corpus.js';
import {
  type FetchedFile,
  fetchCorpus,
  fetchedFiles,
  requireLicence,
} from '../../runtime/pipeline/corpora/fetch-corpus.js';
import {
  type Corpus,
  corpusNamed,
  readCatalogue,
} from '../../runtime/pipeline/corpora/read-catalogue.js';
import { requireFilesApart } from '../files/require-files.js';
import { DroppedFields } from '../report/conversion-report.js';
import { reportedDeadLetters } from '../report/reported-dead-letters.js';
import { printError, printJson, printText } from '../report/terminal.js';
import { textLog } from '../report/text-log.js';
import { shippedCatalogue } from '../shipped-catalogue.js';
import { corporaDirectory, type FetchArguments } from './corpora-options.js';

/** Fetches corpora, and prints the paths of their files. */
export async function fetchCorpora(given: FetchArguments): Promise<void> {
  for (const corpus of chosen(given)) {
    const files = await fetched(corpus, given);
    if (given.json === true) {
      printJson({ corpus: corpus.name, files });
    } else for (const { path } of files) printText(`${path}\n`);
  }
}

/** Arguments of `corpora convert`. */
export interface ConvertCorporaArguments extends FetchArguments {
  readonly out?: string | undefined;
}

/** Fetches corpora if necessary, and writes their parts as NDJSON. */
export async function convertCorpora(given: ConvertCorporaArguments): Promise<void> {
  const log = textLog('info');
  for (const corpus of chosen(given)) {
    await fetched(corpus, given);
    const folder = join(corporaDirectory(given), corpus.name);
    const out = given.out === undefined ? folder : join(given.out, corpus.name);
    const deadLetters = await reportedDeadLetters({}, { policy: 'skip' }, log);
    const dropped = new DroppedFields();
    const onDropped = (one: Dropped) => dropped.add(one);
    try {
      const parts = await convertCorpus(corpus, { folder, out, deadLetters, onDropped });
      dropped.report('ndjson', log);
      if (given.json === true) {
        printJson({ corpus: corpus.name, parts, dropped: dropped.counts });
        continue;
      }
      for (const { path, records } of parts) {
        log.info(`${path}: ${many(records, 'record')}`);
        printText(`${path}\n`);
      }
    } finally {
      await deadLetters.finish();
    }
  }
}

/**
 * Returns the chosen corpora, after looking up all names, and showing and accepting all licences,
 * before anything is fetched.
 */
function chosen(given: FetchArguments): Corpus[] {
  const { catalogue, names, acceptLicence } = given;
  const corpora = readCatalogue(catalogue ?? shippedCatalogue);
  const found = [...new Set(names)].map(name => corpusNamed(corpora, name));
  for (const { name, licence, homepage } of found) {
    printError(`${name}: licence: ${licence}; ${homepage}\n`);
  }
  const directory = corporaDirectory(given);
  for (const corpus of found) {
    requireFilesApart({
      reads: { 'the catalogue': catalogue },
      writes: { 'a file to fetch': [...new Set(fetchedFiles(corpus, directory))] },
    });
  }
  for (const corpus of found) requireLicence(corpus, { directory, acceptLicence });
  return found;
}

async function fetched(corpus: Corpus, given: FetchArguments): Promise<FetchedFile[]> {
  const progress = new FetchProgress();
  let files: FetchedFile[];
  try {
    files = await fetchCorpus(corpus, {
      directory: corporaDirectory(given),
      acceptLicence: given.acceptLicence,
      onProgress: (file, received, total) => progress.show(file, received, total),
    });
  } finally {
    progress.end();
  }
  for (const file of files) printError(`${reported(file)}\n`);
  return files;
}

function reported({ path, bytes, sha256, how, checkedBy }: FetchedFile): string {
  const size = `${path}: ${grouped(bytes)} bytes, ${how === 'fetched' ? 'fetched' : 'there already'}`;
  if (checkedBy === 'catalogue') return `${size}, SHA-256 as in the catalogue`;
  if (checkedBy === 'lock') return `${size}, SHA-256 as at the first fetch`;
  return how === 'fetched'
    ? `${size}, not verified: SHA-256 ${sha256}, which later fetches must match (corpora.lock.json)`
    : `${size}, not verified: SHA-256 ${sha256}`;
}

/** Shows the progress of a download if the output is a terminal. */
class FetchProgress {
  #bar: cliProgress.SingleBar | undefined;
  #file: string | undefined;

  /** Records the progress of a file. */
  show(path: string, received: number, total: number | undefined): void {
    if (standardStreams().stderr.isTTY !== true) return;
    const file = visible(path);
    if (this.#file !== file) {
      this.end();
      const format =
        total === undefined ? '{file} | {size}' : '{file} {bar} {percentage} % | {size}';
      this.#bar = new cliProgress.SingleBar({ format, hideCursor: true, barsize: 24 });
      this.#bar.start(total ?? 0, 0, { file, size: '' });
      this.#file = file;
    }
    this.#bar?.update(received, { file, size: `${(received / 2 ** 20).toFixed(1)} MiB` });
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#file = undefined;
  }
}
