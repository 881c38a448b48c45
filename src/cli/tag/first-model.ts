import { contentDigest } from '../../io/files/content-digest.js';
import { versionId } from '../../io/nats/registry/version-id.js';
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

/** A model that tags, and its id where records are to have it. */
export interface IdentifiedModel {
  readonly model: Model;
  readonly modelId: string | undefined;
}

/** The model as it is at the start, until it is taken. */
export interface FirstModel {
  readonly checks: ReloadChecks;
  readonly shown: ShownModel;
  /** Whether records are to have the id of their model. */
  readonly identifies: boolean;
  /** Whether records of a format go from bytes to bytes with it; to be asked before it is taken. */
  hasPlainRecords(format: CodecChoice): boolean;
  /** To be called once: nothing else holds on to it then, and it can leave memory. */
  take(): IdentifiedModel;
}

export function firstModel(
  { model: file, kernel = 'simd', format: named, plugins, modelVersion }: TagArguments,
  { status }: Reporting,
): FirstModel {
  const read = readTagger(file, kernel, plugins?.functions);
  if (status !== undefined) status.modelDigest = contentDigest([read.bytes]);
  const identifies = modelVersion === true;
  const modelId = identifies ? versionId(contentDigest([read.bytes])) : undefined;
  let first: Model | undefined = read.model;
  const spans = isSpanScheme(first.scheme);
  return {
    shown: { model: file, labels: [...first.labels.tags], spans },
    checks: { file, kernel, spec: first.spec, named, functions: plugins?.functions },
    identifies,
    hasPlainRecords: format => first !== undefined && PlainTagger.canTag(first, format),
    take: () => {
      const model = first!;
      first = undefined;
      return { model, modelId };
    },
  };
}

/** The models of a file, each for as long as it is the newest. */
export function modelsOf(
  { checks, identifies, take }: FirstModel,
  format: string,
  { log, status }: Reporting,
  digest?: ModelDigest,
): Reloadable<IdentifiedModel> {
  const again = () => {
    const { model, bytes } = readAgain(checks, format);
    if (status !== undefined) status.modelDigest = contentDigest([bytes]);
    return { model, modelId: identifies ? versionId(contentDigest([bytes])) : undefined };
  };
  return new Reloadable(take(), again, {
    onReloaded: () => {
      digest?.renew();
      reportReloaded(checks.file, log);
    },
    onKept: error => reportKept(error, log),
  });
}
