// The same, of what needs Node.
export type { ReadContext, WriteOptions } from '../io/codec.js';
export type { ConvertOptions, Replaced } from '../io/convert.js';
export type { DeadLetterPlace } from '../io/dead-letters.js';
export type { WriteHooks } from '../io/document-sink.js';
export type { DocumentSourceOptions } from '../io/document-source-options.js';
export type { ErrorRateLimit } from '../io/faults/error-rate.js';
export type { FaultPolicies } from '../io/faults/policy.js';
export type { FileUse } from '../io/files/file-use.js';
export type { Budget } from '../io/gate.js';
export type { InFlightNote, NotedRecord } from '../io/in-flight-note.js';
export type { StreamStart } from '../io/line-splitter.js';
export type { FileLock, Locked } from '../io/locks/file-lock.js';
export type { Input } from '../io/open-input.js';
export type { OpenOutputOptions } from '../io/open-output.js';
export type { OnReplaced } from '../io/plain-cell.js';
export type { ResumableFile } from '../io/resumable-file.js';
export type { Selection as RecordSelection } from '../io/select-records.js';
export type { NamesKept } from '../models/inspection/note-model.js';
export type { TakenWeights } from '../models/start/take-weights.js';
export type { TrainingHistory } from '../models/training-history.js';
export type { Components } from '../pipeline/catalogue/components.js';
export type { Check as ModelCheck } from '../pipeline/checks/check-options.js';
export type { DeadLetterSection } from '../pipeline/dead-letter-options.js';
export type { Path as ConfigPath } from '../pipeline/file/yaml-document.js';
export type { LoadOptions } from '../pipeline/load-pipeline.js';
export type { Chosen as ChosenComponent, Named as NamedComponent } from '../pipeline/one-of.js';
export type { RunGiven, RunSetup } from '../pipeline/run-setup.js';
export type { SinkOptions } from '../pipeline/sink-options.js';
export type { ChosenSource, SourceComponent } from '../pipeline/sources/source-component.js';
export type { ItemKind, StageComponent, StageFile } from '../pipeline/stages/stage-component.js';
export type { QuantityName } from '../pipeline/study/quantities.js';
export type {
  CoursePoint,
  RunMeasures,
  Values as MeasuredValues,
} from '../pipeline/study/run-measures.js';
export type { StudyFile } from '../pipeline/study/study-schema.js';
export type { TrainOptions } from '../pipeline/train-options.js';
export type { CodecComponent } from '../plugins/codec-component.js';
export type { LoadedPlugin, PluginModule } from '../plugins/loaded-plugin.js';
export type { TransportComponent } from '../plugins/transport-component.js';
export type {
  ShownAxis,
  ShownCell,
  ShownExpectation,
  ShownHead,
  ShownLine,
  ShownPlot,
  ShownPoint,
  ShownTable,
} from '../reports/study/shown-study.js';
export type { TrainingJob } from '../workers/training-job.js';
