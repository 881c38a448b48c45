import { performance } from 'node:perf_hooks';
import { parseOptions } from '../../core/schema/parse-options.js';
import { counted } from '../../core/wording/counted.js';
import { ClusterCorpus } from '../../features/clusters/cluster-corpus.js';
import { learnClusters } from '../../features/clusters/learn-clusters.js';
import { writeWhole } from '../../io/writing/write-whole.js';
import { chosenTokenizer } from '../../pipeline/stages/chosen-tokenizer.js';
import { tokenizeStage } from '../../pipeline/stages/tokenize.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import { requireFilesApart } from '../files/require-files-apart.js';
import type { BadRecordArguments } from '../options/bad-record-options.js';
import { reportedDeadLetters } from '../report/reported-dead-letters.js';
import { printError } from '../report/terminal.js';
import { textLog } from '../report/text-log.js';
import { readClusterText } from './read-cluster-text.js';
import { requireWhole } from './require-whole.js';

/** Arguments of `clusters`. */
export interface ClustersArguments extends BadRecordArguments {
  readonly inputs: readonly string[];
  readonly out: string;
  readonly classes: number;
  readonly minCount: number;
  readonly fold: boolean;
  readonly format?: string | undefined;
  readonly tokenizer?: string | undefined;
  readonly locale?: string | undefined;
  readonly json?: boolean | undefined;
}

/** More would take gigabytes of tables. */
const mostClasses = 4096;

/** Learns word clusters from files and writes them in Brown format. */
export async function clustersFromText(given: ClustersArguments): Promise<void> {
  requireWhole('--classes', given.classes, 2, mostClasses);
  requireWhole('--min-count', given.minCount, 1, Number.MAX_SAFE_INTEGER);
  const { tokenizer, locale, format, inputs, out } = given;
  requireFilesApart({
    reads: { 'the text': inputs },
    writes: { 'the file of clusters': out },
    deadLetters: chosenDeadLetters(given, { policy: 'skip' }),
  });
  const options = {
    ...(tokenizer === undefined ? {} : { tokenizer }),
    ...(locale === undefined ? {} : { locale }),
  };
  const checked = parseOptions(tokenizeStage.options, options, 'tokenize');
  const start = performance.now();
  const corpus = new ClusterCorpus({ fold: given.fold });
  const log = textLog('info');
  const deadLetters = await reportedDeadLetters(given, { policy: 'skip' }, log);
  try {
    const tokenize = chosenTokenizer(checked as Parameters<typeof chosenTokenizer>[0]);
    await readClusterText({ files: inputs, format, tokenize, deadLetters, log }, tokens =>
      corpus.add(tokens),
    );
  } finally {
    await deadLetters.finish();
  }
  const settled = corpus.settle(given.minCount);
  const learned = learnClusters(settled, { classes: given.classes });
  const lines = learned.words.map(({ path, word, count }) => `${path}\t${word}\t${count}\n`);
  await writeWhole(out, lines.join(''));
  const report = {
    words: learned.words.length,
    tokens: settled.counts.reduce((sum, count) => sum + count, 0),
    clusters: learned.clusters,
    mutualInformation: learned.mutualInformation,
    seconds: Number(((performance.now() - start) / 1000).toFixed(3)),
  };
  printError(given.json === true ? `${JSON.stringify(report)}\n` : `${sentenceOf(report)}\n`);
}

function sentenceOf({
  words,
  tokens,
  clusters,
  mutualInformation,
  seconds,
}: {
  words: number;
  tokens: number;
  clusters: number;
  mutualInformation: number;
  seconds: number;
}): string {
  const information = mutualInformation.toFixed(4);
  return `${counted(words, 'word')} (${counted(tokens, 'token')}) in ${counted(clusters, 'cluster')}, mutual information ${information} nats, ${seconds} s`;
}
