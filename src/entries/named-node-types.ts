// The same, of what needs Node.

export type { BadRecord, Fault, FaultPolicies, Policy } from '../io/bad-records/bad-record.js';
export type { ErrorRateLimit } from '../io/bad-records/error-rate.js';
export type { OpenRecord, PassedRecord, PassedRecords } from '../io/bad-records/passed-records.js';
export type { Codec, ReadContext, RecordFiles, WriteOptions } from '../io/codecs/codec.js';
export type { OnDropped, OnReplaced } from '../io/codecs/writing.js';
export type { ConvertOptions, Dropped, Replaced } from '../io/convert.js';
export type { DeadLetterOptions, DeadLetterPlace } from '../io/dead-letters/dead-letters.js';
export type { WriteHooks } from '../io/document-sink.js';
export type { FileUse } from '../io/files/require-apart.js';
export type { IntoLines, LineMaker, StreamStart } from '../io/lines/line-splitter.js';
export type { FileLock, Locked } from '../io/locks/file-lock.js';
export type { RegisteredVersion } from '../io/nats/registry/entries.js';
export type { ClusterOptions, ClusterReport } from '../io/nats/training/cluster-options.js';
export type { Input, InputStream } from '../io/reading/open-input.js';
export type { Budget } from '../io/sources/gate.js';
export type { InFlightNote, NotedRecord } from '../io/sources/in-flight-note.js';
export type { Selection as RecordSelection } from '../io/sources/select-records.js';
export type { DocumentSourceOptions } from '../io/sources/source-reading.js';
export type {
  MessageStream,
  OpenRequest,
  Transport,
  TransportStream,
} from '../io/transports/transport.js';
export type { OpenOutputOptions, Output, OutputStream } from '../io/writing/open-output.js';
export type { OutputNote, OutputNotes, OutputState } from '../io/writing/output-place.js';
export type {
  OutputRotation,
  ResumableFile,
  ResumableOptions,
} from '../io/writing/resumable-file.js';
export type { PruningLoss } from '../models/decoding/pruning-loss.js';
export type { NamesKept } from '../models/inspection/note-model.js';
export type { TrainingHistory } from '../models/learning/training-history.js';
export type { TakenWeights } from '../models/start/add-weights.js';
export type { Components } from '../pipeline/catalogue/components.js';
export type { Check as ModelCheck } from '../pipeline/definition/check-options.js';
export type { DataWarning, RunEvents } from '../pipeline/definition/events.js';
export type { Pipeline, PipelineParts } from '../pipeline/definition/pipeline.js';
export type {
  ItemKind,
  StageComponent,
  StageFile,
} from '../pipeline/definition/stage-component.js';
export type { Path as ConfigPath } from '../pipeline/file/yaml-document.js';
export type { LoadOptions } from '../pipeline/loading/load-pipeline.js';
export type { DeadLetterSection } from '../pipeline/options/dead-letter-options.js';
export type { FeaturizeOptions } from '../pipeline/options/feature-options.js';
export type { ModelChoice } from '../pipeline/options/model-option.js';
export type {
  Chosen as ChosenComponent,
  Named as NamedComponent,
} from '../pipeline/options/one-of.js';
export type { TagStageOptions } from '../pipeline/options/rule-options.js';
export type { SinkOptions } from '../pipeline/options/sink-options.js';
export type {
  AskOptions as AskStageOptions,
  BatchOptions as BatchStageOptions,
  CheckpointOptions as CheckpointStageOptions,
  EvaluateOptions as EvaluateStageOptions,
  JoinOptions as JoinStageOptions,
  ReplayOptions as ReplayStageOptions,
} from '../pipeline/options/stage-options.js';
export type {
  GraphChoice,
  SegmentChoice,
  StructureChoice,
} from '../pipeline/options/structure-options.js';
export type { TokenizeStageOptions } from '../pipeline/options/tokenize-options.js';
export type { TrainOptions } from '../pipeline/options/train-options.js';
export type { PlanSections } from '../pipeline/plan/make-plan.js';
export type {
  AnyPlan,
  BatchPart,
  BatchTrainerPart,
  CheckpointPart,
  ClusterPart,
  EvaluationPart,
  FeaturesPart,
  JoinPart,
  LearningPlan,
  LearnPlan,
  LossPart,
  OnlinePart,
  OptimizerPart,
  Part as PlanPart,
  Plan,
  SourcePart,
  TagPlan,
  TrainPlan,
} from '../pipeline/plan/plan.js';
export type {
  RegistryChoice,
  RunOptions,
  RunResult,
  WrittenModel,
} from '../pipeline/setup/run-options.js';
export type { ChosenSource, SourceComponent } from '../pipeline/sources/source-component.js';
export type { StudyOptions } from '../pipeline/study/load-study.js';
export type {
  CoursePoint,
  QuantityName,
  RunMeasures,
  Values as MeasuredValues,
} from '../pipeline/study/measures/quantities.js';
export type { MeasuredRun, StudyRunOptions } from '../pipeline/study/run-study.js';
export type { Study, StudyFile, StudyRun } from '../pipeline/study/study-schema.js';
export type { TaggerRequestOptions } from '../pipeline/tagging/service/request-options.js';
export type { TaggerPoolOptions } from '../pipeline/tagging/service/tagger-pool.js';
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
} from '../plugins/definitions.js';
export type {
  CodecComponent,
  LoadedPlugin,
  MessageOrigin,
  MessageTarget,
  PluginModule,
  TransportComponent,
} from '../plugins/loaded-plugin.js';
export type {
  Message,
  MessageRequest,
  MessageTransport,
  MessageWriter,
  TransportSetting,
} from '../plugins/messages.js';
export type {
  ShownAxis,
  ShownCell,
  ShownExpectation,
  ShownHead,
  ShownLine,
  ShownPlot,
  ShownPoint,
  ShownStudy,
  ShownTable,
} from '../reports/study/shown-study.js';
export type { TrainingJob } from '../workers/thread-group.js';
