export * from './entries/browser.js';
export type * from './entries/named-node-types.js';
// io
export type { BadRecord } from './io/bad-record.js';
export type { Codec } from './io/codec.js';
export { conllCodec } from './io/conll/conll-codec.js';
export { conlluCodec } from './io/conllu/conllu-codec.js';
export { convert } from './io/convert.js';
export type { DeadLetterOptions } from './io/dead-letters.js';
export { DeadLetters } from './io/dead-letters.js';
export { writeDocuments } from './io/document-sink.js';
export { documentSource } from './io/document-source.js';
export type { Fault } from './io/faults/fault.js';
export type { Policy } from './io/faults/policy.js';
export { replayCodec } from './io/faults/replay-codec.js';
export { FileCheckpointStore } from './io/file-checkpoint-store.js';
export { FileTagger as Tagger } from './io/file-tagger.js';
export { lettersCodec } from './io/letters/letters-codec.js';
export { ndjsonCodec } from './io/ndjson/ndjson-codec.js';
export type { Output } from './io/open-output.js';
export { openOutput } from './io/open-output.js';
export { messageSource } from './io/transports/message-source.js';
export type { OpenRequest, Transport, TransportStream } from './io/transports/transport.js';
// pipeline
export type { RunEvents } from './pipeline/events.js';
export { loadPipeline, parsePipeline } from './pipeline/load-pipeline.js';
export type { Pipeline } from './pipeline/pipeline.js';
export { replayed } from './pipeline/replayed.js';
export type { RunOptions, RunResult } from './pipeline/run-options.js';
export { runPipeline } from './pipeline/run-pipeline.js';
// studies
export type { StudyOptions } from './pipeline/study/load-study.js';
export { loadStudy, parseStudy } from './pipeline/study/load-study.js';
export type { MeasuredRun, StudyRunOptions } from './pipeline/study/run-study.js';
export { runStudy } from './pipeline/study/run-study.js';
export { shownStudyOf } from './pipeline/study/shown-study-of.js';
export type { Study, StudyRun } from './pipeline/study/study.js';
// plug-ins
export {
  defineCodec,
  defineLoss,
  defineOptimizer,
  definePlugin,
  defineTokenFunction,
  defineTransport,
} from './plugins/define.js';
export type {
  CodecDefinition,
  Described,
  LossDefinition,
  OptimizerDefinition,
  OptionsOf,
  OptionsSchema,
  ParsedRecord,
  Plugin,
  PluginComponent,
  RecordFormat,
  TokenFunctionDefinition,
  TransportDefinition,
  ZodSchema,
} from './plugins/definitions.js';
export type {
  Message,
  MessageRequest,
  MessageTransport,
  MessageWriter,
} from './plugins/messages.js';
export { tokenFunctionsOf } from './plugins/token-functions-of.js';
// reports
export type { ShownStudy } from './reports/study/shown-study.js';
export { studyText } from './reports/study/study-text.js';
// workers
export { TrainingCrew } from './workers/training-crew.js';
