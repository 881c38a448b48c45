import { contentDigest } from '../io/content-digest.js';
import type { Model } from '../models/model.js';
import type { ModelDigest } from '../pipeline/progress/model-digest.js';
import { readTagger } from '../pipeline/reload/read-tagger.js';
import { Reloadable } from '../pipeline/reload/reloadable.js';
import { isSpanScheme } from '../text/tag-scheme.js';
import { type ReloadChecks, readAgain } from './reload-checks.js';
import type { Reporting } from './reporting.js';
import type { ShownModel } from './shown.js';
import type { TagArguments } from './tag-arguments.js';
import { tellKept, tellReloaded } from './tell-reload.js';

/** The model as it is at the start, until it is taken. */
export interface FirstModel {
  readonly checks: ReloadChecks;
  readonly shown: ShownModel;
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
    shown: { model: file, labels: [...first.labels.names], spans },
    checks: { file, kernel, spec: first.spec, named, functions: plugins?.functions },
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
      tellReloaded(checks.file, log);
    },
    onKept: error => tellKept(error, log),
  });
}
