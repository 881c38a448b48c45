import type { Observable } from 'rxjs';
import type { Position } from '../../../engine/core/delivery/delivery.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { type DocumentSourceOptions, documentSource } from '../../io/sources/document-source.js';
import type { Budget } from '../../io/sources/gate.js';
import { resumePosition } from '../../io/sources/resume-position.js';
import type { Pipeline } from '../definition/pipeline.js';
import { transportSetting } from '../definition/places.js';
import type { RunContext } from '../definition/run-context.js';
import {
  type BudgetOptions,
  type ChosenSource,
  filesOf,
  leastLimit,
  selectionOf,
} from '../sources/source-component.js';
import { positionOf, requireInput } from './restore-run.js';
import type { RunWithDeadLetters } from './run-options.js';

/** Returns the documents of a pipeline's source, starting where a resumed stream continues. */
export function runSource(
  pipeline: Pipeline,
  context: RunContext,
  options: RunWithDeadLetters,
  reading: Partial<DocumentSourceOptions> = {},
): Observable<Document> {
  const { restored } = context;
  const { source } = pipeline;
  const position = pipeline.train?.epochs === undefined ? positionOf(restored) : undefined;
  const resumeAfter = resumePosition(position);
  if (resumeAfter !== undefined) requireInput(restored!, resumeAfter);
  const limit = leastLimit(source.options.limit, options.limit);
  return readSource(source, position, pipeline, context, options, {
    selection: { ...selectionOf(source.options), limit },
    onBlank: options.onBlank,
    status: options.status,
    ...reading,
  });
}

/** Returns the documents of a source that a pipeline reads, after a position if given. */
export function readSource(
  { component, options: chosen }: ChosenSource,
  after: Position | undefined,
  pipeline: Pipeline,
  { paths, ledger, scope }: RunContext,
  options: RunWithDeadLetters,
  reading: Partial<DocumentSourceOptions> = {},
): Observable<Document> {
  const transport = component.transport?.(chosen, transportSetting(paths, pipeline.trains));
  scope.defer(() => transport?.close?.());
  const codec = component.codec(chosen);
  const joins = pipeline.plan.join !== undefined;
  const purpose = joins ? 'forLabels' : pipeline.trains ? undefined : 'forTagging';
  return documentSource({
    files: filesOf(chosen).map(file => paths.resolve(file)),
    transport,
    codec: purpose === undefined ? codec : (codec[purpose]?.() ?? codec),
    deadLetters: options.deadLetters,
    budget: budgetOf(pipeline),
    ledger,
    selection: selectionOf(chosen),
    resumeAfter: resumePosition(after),
    stdin: component.generated?.(chosen) ?? options.stdin,
    ...reading,
  });
}

/** Default maximum number of bytes of records in flight: minibatches wait to be filled. */
const trainingBytes = 64 * 2 ** 20;

/** Returns the maximum number of a pipeline's records in flight, and of their bytes. */
export function budgetOf(pipeline: Pipeline): Partial<Budget> {
  const { budget, budgetBytes } = pipeline.source.options as BudgetOptions;
  const bytes = budgetBytes ?? (pipeline.trains ? trainingBytes : undefined);
  return {
    items: budget ?? Math.max(10_000, 2 * pipeline.plan.batch.most),
    ...(bytes === undefined ? {} : { bytes }),
  };
}
