import { contentDigest } from '../../io/files/content-digest.js';
import type { Model } from '../../models/model.js';
import type { CodecChoice } from '../../pipeline/catalogue/codec-of.js';
import { PlainTagger } from '../../pipeline/tagging/plain/plain-tagger.js';
import type { ModelDigest } from '../../pipeline/tagging/progress/model-digest.js';
import { readTagger } from '../../pipeline/tagging/reload/read-tagger.js';
import { Reloadable } from '../../pipeline/tagging/reload/reloadable.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { reportKept, reportReloaded } from '../report/report-reload.js';
import type { Reporting } from '../report/reporting.js';
import { type ReloadChecks, readAgain } from './reload-checks.js';
import type { ShownModel } from './shown.js';
import type { TagArguments } from './tag-arguments.js';

/** The model as it is at the start, until it is taken. */
export interface FirstModel {
  readonly checks: ReloadChecks;
  readonly shown: ShownModel;
  /** Whether records of a format go from bytes to bytes with it; to be asked before it is taken. */
  hasPlainRecords(format: CodecChoice): boolean;
  /** To be called once: nothing else holds on to it then, and it can leave memory. */
  take(): Model;
}

export function firstModel(
  { model: file, kernel = 'simd', format: named, plugins }: TagArguments,
  { status }: Reporting,
): FirstModel {
  const read = readTagger(file, kernel, plugins?.functions);
  if (status !== undefined) status.modelDigest = contentDigest([read.bytes]);
  let first: Model | undefined = read.model;
  const spans = isSpanScheme(first.scheme);
  return {
    shown: { model: file, labels: [...first.labels.tags], spans },
    checks: { file, kernel, spec: first.spec, named, functions: plugins?.functions },
    hasPlainRecords: format => first !== undefined && PlainTagger.canTag(first, format),
    take: () => {
      const model = first!;
      first = undefined;
      return model;
    },
  };
}

/** The models of a file, each for as long as it is the newest. */
export function modelsOf(
  { checks, take }: FirstModel,
  format: string,
  { log, status }: Reporting,
  digest?: ModelDigest,
): Reloadable<Model> {
  const again = () => {
    const { model, bytes } = readAgain(checks, format);
    if (status !== undefined) status.modelDigest = contentDigest([bytes]);
    return model;
  };
  return new Reloadable(take(), again, {
    onReloaded: () => {
      digest?.renew();
      reportReloaded(checks.file, log);
    },
    onKept: error => reportKept(error, log),
  });
}
