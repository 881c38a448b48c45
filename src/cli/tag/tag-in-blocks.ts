import type { Codec } from '../../io/codecs/codec.js';
import { ndjsonFormat } from '../../io/codecs/ndjson/ndjson-format.js';
import { plainFormat } from '../../pipeline/blocks/plain-format.js';
import type { CodecChoice } from '../../pipeline/catalogue/codec-of.js';
import { MixedTagger } from '../../pipeline/tagging/mixed-tagger.js';
import { blockProgress } from '../../pipeline/tagging/progress/block-progress.js';
import { ModelDigest } from '../../pipeline/tagging/progress/model-digest.js';
import { tagBlocks } from '../../pipeline/tagging/tag-blocks.js';
import { warnOfForeignFields } from '../report/foreign-fields.js';
import { reportBlankLines } from '../report/report-blank-lines.js';
import { reportStopped } from '../report/report-stopped.js';
import { reportWritten } from '../report/report-written.js';
import { reportedDeadLetters } from '../report/reported-dead-letters.js';
import { type IdentifiedModel, modelsOf } from './first-model.js';
import { needsSingleRecords } from './needs-single-records.js';
import { refuseUnreported } from './refuse-unreported.js';
import { isShown } from './shown.js';
import { openTagged, tagProgress } from './tag-progress.js';
import type { TagWork } from './tag-work.js';
import { taggingOptions } from './tagging-options.js';

/** Whether records may go by blocks: some may be plain, and nobody counts or watches records one by one. */
export function canTagInBlocks({ first, given, input, report }: TagWork): boolean {
  const { limit } = given;
  const watched = report.status !== undefined || limit !== undefined || needsSingleRecords(given);
  return !watched && !isShown(given) && first.hasPlainRecords(input.format);
}

/** What cuts blocks: schemas are loaded only where they are needed. */
async function blockCodec(format: CodecChoice): Promise<Codec> {
  const plain = plainFormat(format);
  if (plain !== undefined) return ndjsonFormat(plain);
  return (await import('../../pipeline/catalogue/codec-of.js')).codecOf(format);
}

/** Tags blocks of records in this thread: the bytes are those of `tagAsStream`. */
export async function tagInBlocks(work: TagWork): Promise<void> {
  const { first, input, given, stopping, reloads, report } = work;
  const { files, format } = input;
  const { log } = report;
  refuseUnreported(given, format.name);
  const codec = await blockCodec(format);
  const policy = codec.lenient === true ? 'skip' : 'fail';
  const written = { format: codec.name, output: given.output };
  const deadLetters = await reportedDeadLetters(given, { policy }, log, stopping, written);
  let ended = false;
  const isStopped = () => stopping.aborted && !ended;
  const digest = new ModelDigest(given.model);
  const progress = await tagProgress({ given, input, deadLetters, report, digest, isStopped });
  const output = progress?.output ?? (await openTagged(given, format.name, { signal: stopping }));
  const models = modelsOf(first, codec.name, report, digest);
  const stopReloading = reloads.onRequest(() => models.reload());
  let blank = 0;
  try {
    const options = taggingOptions(given);
    const { passing } = deadLetters;
    let current = models.current;
    const sources = given.plugins?.sources;
    const taggerOf = ({ model, modelId }: IdentifiedModel) =>
      new MixedTagger(model, format, { ...options, modelId, passing }, { sources });
    let tagger = taggerOf(current);
    const { records } = await tagBlocks({
      ...{ files, codec, output, deadLetters, signal: stopping },
      tag: task => {
        if (models.current !== current) {
          current = models.current;
          tagger = taggerOf(current);
        }
        return tagger.tag(task);
      },
      onWritten: tagged => tagger.reuse(tagged),
      onBelow: warnOfForeignFields(log),
      onBlank: lines => {
        blank += lines;
      },
      onEnd: () => {
        ended = true;
      },
      progress: progress && blockProgress(progress),
    });
    if (isStopped()) reportStopped(records, progress?.file ?? given.out, log);
    else if (progress !== undefined) reportWritten(records, given.out, log);
  } finally {
    progress?.unlock();
    stopReloading();
    await deadLetters.finish();
    reportBlankLines(blank, log);
  }
}
