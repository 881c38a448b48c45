import type { MonoTypeOperatorFunction } from 'rxjs';
import type { Document } from '../../../engine/core/sentence/document.js';
import { WaitingRecords } from '../../../engine/models/learning/waiting-records.js';
import { joinLabels } from '../../../engine/operators/join-labels.js';
import { badRecord } from '../../../formats/bad-records/bad-record.js';
import { inputFingerprint, requireSameInput } from '../../../formats/reading/input-fingerprint.js';
import { readsOnce } from '../../../formats/reading/read-bytes.js';
import type { Pipeline } from '../definition/pipeline.js';
import { sourceFiles } from '../definition/places.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import { chosenOf } from '../options/one-of.js';
import { joinOptionsOf } from '../options/stage-options.js';
import type { AnyPlan } from '../plan/plan.js';
import { restorePart } from '../setup/restore-run.js';
import type { RunWithDeadLetters } from '../setup/run-options.js';
import { readSource } from '../setup/run-source.js';
import { filesOf, type SourceComponent } from '../sources/source-component.js';
import type { Saves } from './checkpoint.js';

/** Returns the stage `join` with the sources for its labels. */
export function joinStage(sources: readonly SourceComponent[]): StageComponent {
  return defineStage({
    name: 'join',
    summary: 'tags records at once, and joins them with labels that arrive later under their ids',
    example: 'join: { labels: { ndjson: { files: [labels.ndjson] } }, keep: 100000 }',
    takes: ['document'],
    gives: 'document',
    options: joinOptionsOf(sources),
    files: ({ labels }) =>
      labels === undefined
        ? []
        : filesOf(chosenOf(sources, labels).options).map(file => ({
            ...{ file, at: 'labels', what: 'the labels' },
          })),
  });
}

/** Builds the store of records waiting for their labels, restored if the run resumes. */
export function buildJoin(
  { join }: Pick<AnyPlan, 'join'>,
  { restored, status }: Pick<RunContext, 'restored' | 'status'>,
): WaitingRecords | undefined {
  if (join === undefined) return undefined;
  const { labels: _, ...limits } = join.options;
  const waiting = new WaitingRecords(limits);
  if (restored !== undefined) {
    restorePart(restored, 'join', state => {
      waiting.restore(state);
      const { labels } = waiting.positions;
      const { fingerprint } = state.json;
      if (labels !== undefined && typeof fingerprint === 'string') {
        requireSameInput(labels, fingerprint);
      }
    });
  }
  if (status !== undefined) status.labels = () => waiting.counts;
  return waiting;
}

/** Returns the parts of checkpoints for waiting records, with the identity of the label file. */
export function joinSaves(waiting: WaitingRecords | undefined): Saves {
  if (waiting === undefined) return {};
  const save = () => {
    const { json, arrays } = waiting.save();
    const { labels } = waiting.positions;
    const fingerprint = labels === undefined ? null : (inputFingerprint(labels) ?? null);
    return { json: { ...json, fingerprint }, arrays };
  };
  return { join: { save } };
}

/** Joins the records of a pipeline with their labels. */
export function joinWith(
  waiting: WaitingRecords,
  pipeline: Pipeline,
  context: RunContext,
  options: RunWithDeadLetters,
): MonoTypeOperatorFunction<Document> {
  const { deadLetters } = options;
  const labels = pipeline.plan.join?.labels;
  const { baseDirectory } = pipeline;
  // The order of live input cannot be reproduced; that of files can.
  const isFile = (source: typeof pipeline.source) =>
    source.options.from === undefined && !sourceFiles({ source, baseDirectory }).some(readsOnce);
  return joinLabels(waiting, {
    ledger: context.ledger,
    onRejected: ({ late, raw = '' }, error) => {
      deadLetters.add(badRecord(late!.position!, raw, error), deadLetters.pass());
    },
    ...(labels === undefined
      ? {}
      : {
          labels: readSource(labels, waiting.positions.labels, pipeline, context, options),
          inTurn: isFile(labels),
        }),
  });
}
