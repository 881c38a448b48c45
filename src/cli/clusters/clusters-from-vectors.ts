import { performance } from 'node:perf_hooks';
import { TagstreamError } from '../../engine/core/errors.js';
import { counted } from '../../engine/core/wording/numbers.js';
import { type KMeans, kMeans } from '../../engine/features/clusters/k-means.js';
import { readWordVectors } from '../../runtime/io/vectors/read-word-vectors.js';
import { vectorsFile } from '../../runtime/io/vectors/vectors-file.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import { requireFilesApart } from '../files/require-files.js';
import { requireWhole } from '../options/option-kinds.js';
import type { BadRecordArguments } from '../options/record-options.js';
import { printError } from '../report/terminal.js';

/** Arguments of `clusters --vectors`. */
export interface VectorClustersArguments extends BadRecordArguments {
  /** Path of a file, or name of an installed package. */
  readonly vectors: string;
  readonly inputs: readonly string[];
  readonly out: string;
  readonly classes: readonly number[];
  readonly words: number;
  readonly seed: number;
  readonly json?: boolean | undefined;
}

/** Maximum number of clusters: larger numbers are slow, and hardly help. */
const mostClasses = 65_536;

/** Placeholder for the number of clusters in an output name. */
const sizeMark = '{classes}';

/**
 * Clusters the words of a word vector file, once for each size, and writes them in the form of
 * Brown clusters.
 */
export async function clustersFromVectors(given: VectorClustersArguments): Promise<void> {
  const { classes, out, words: most, seed } = given;
  for (const size of classes) requireWhole('--classes', size, 2, mostClasses);
  requireWhole('--words', most, 2, 10_000_000);
  if (given.inputs.some(input => input !== '-')) {
    throw new TagstreamError('usage', '--vectors cannot be combined with text inputs', {
      fix: 'leave out the inputs, or --vectors',
    });
  }
  if (classes.length > 1 && !out.includes(sizeMark)) {
    throw new TagstreamError(
      'usage',
      `several numbers of clusters need several outputs, not just ${out}`,
      {
        fix: `put the number into its name: --out words-${sizeMark}.txt`,
      },
    );
  }
  const file = vectorsFile(given.vectors);
  const outputs = classes.map(size => out.replaceAll(sizeMark, String(size)));
  requireFilesApart({
    reads: { 'the word vectors': file },
    writes: Object.fromEntries(
      outputs.map((path, i) => [`the file of ${classes[i]} clusters`, path]),
    ),
    deadLetters: chosenDeadLetters(given, { policy: 'skip' }),
  });
  const start = performance.now();
  const vectors = await readWordVectors(file, most);
  const read = performance.now();
  const results = kMeans(vectors, { sizes: classes, seed });
  const found = performance.now();
  for (const [i, result] of results.entries()) {
    await writeWhole(outputs[i]!, linesOf(vectors.words, result));
  }
  const report = {
    words: vectors.words.length,
    dimensions: vectors.dimensions,
    clusters: results.map(({ clusters, distance, passes }) => ({
      ...{ clusters, passes },
      distance: Number(distance.toFixed(4)),
    })),
    readingSeconds: secondsOf(read - start),
    seconds: secondsOf(found - read),
  };
  printError(given.json === true ? `${JSON.stringify(report)}\n` : `${sentenceOf(report)}\n`);
}

/** Yields one word per line, by cluster; all paths are as long as that of the largest number. */
function linesOf(words: readonly string[], { numbers, clusters }: KMeans): string {
  const bits = Math.max(1, Math.ceil(Math.log2(clusters)));
  const members: string[][] = Array.from({ length: clusters }, () => []);
  for (const [i, word] of words.entries()) members[numbers[i]!]!.push(word);
  const lines = members.flatMap((own, number) => {
    const path = number.toString(2).padStart(bits, '0');
    return own.map(word => `${path}\t${word}\n`);
  });
  return lines.join('');
}

function secondsOf(milliseconds: number): number {
  return Number((milliseconds / 1000).toFixed(3));
}

function sentenceOf(report: {
  readonly words: number;
  readonly dimensions: number;
  readonly clusters: readonly { readonly clusters: number; readonly distance: number }[];
  readonly readingSeconds: number;
  readonly seconds: number;
}): string {
  const sizes = report.clusters.map(
    ({ clusters, distance }) => `${counted(clusters, 'cluster')} (distance ${distance.toFixed(4)})`,
  );
  return `${counted(report.words, 'word')} of ${counted(report.dimensions, 'dimension')}, read in ${report.readingSeconds} s: ${sizes.join(', ')}, ${report.seconds} s`;
}
