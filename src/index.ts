export * from './entries/browser.js';
export type * from './entries/named-node-types.js';

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

// io

export type { BadRecord } from './io/bad-records/bad-record.js';
export type { Fault } from './io/bad-records/fault.js';
export type { Policy } from './io/bad-records/policy.js';
export { FileCheckpointStore } from './io/checkpoints/file-checkpoint-store.js';
export type { Codec } from './io/codecs/codec.js';
export { conllCodec } from './io/codecs/conll/conll-codec.js';
export { conlluCodec } from './io/codecs/conllu/conllu-codec.js';
export { lettersCodec } from './io/codecs/letters/letters-codec.js';
export { ndjsonCodec } from './io/codecs/ndjson/ndjson-codec.js';
export { convert } from './io/convert.js';
export type { DeadLetterOptions } from './io/dead-letters/dead-letters.js';
export { DeadLetters } from './io/dead-letters/dead-letters.js';
export { replayCodec } from './io/dead-letters/replay-codec.js';
export { writeDocuments } from './io/document-sink.js';
export { FileTagger as Tagger } from './io/file-tagger.js';
export { documentSource } from './io/sources/document-source.js';
export { messageSource } from './io/transports/message-source.js';
export type {
  MessageStream,
  OpenRequest,
  Transport,
  TransportStream,
} from './io/transports/transport.js';
export { readWordVectors } from './io/vectors/read-word-vectors.js';
export type { Output } from './io/writing/open-output.js';
export { openOutput } from './io/writing/open-output.js';

// workers

export { ThreadGroup } from './workers/thread-group.js';

// reports

export type { ShownStudy } from './reports/study/shown-study.js';
export { studyText } from './reports/study/study-text.js';

// studies

export type { StudyOptions } from './pipeline/study/load-study.js';
export { loadStudy, parseStudy } from './pipeline/study/load-study.js';
export type { MeasuredRun, StudyRunOptions } from './pipeline/study/run-study.js';
export { runStudy } from './pipeline/study/run-study.js';
export { shownStudyOf } from './pipeline/study/shown/shown-study-of.js';
export type { Study, StudyRun } from './pipeline/study/study.js';

// pipeline

export type { DataWarning, RunEvents } from './pipeline/definition/events.js';
export type { Pipeline } from './pipeline/definition/pipeline.js';
export { replayed } from './pipeline/definition/replayed.js';
export { loadPipeline, parsePipeline } from './pipeline/loading/load-pipeline.js';
export { readRulesFile } from './pipeline/options/rule-options.js';
export { runPipeline } from './pipeline/run/run-pipeline.js';
export type { RunOptions, RunResult } from './pipeline/setup/run-options.js';
export type { TaggerRequestOptions } from './pipeline/tagging/service/request-options.js';
export type { TaggerPoolOptions } from './pipeline/tagging/service/tagger-pool.js';
export { TaggerPool } from './pipeline/tagging/service/tagger-pool.js';
