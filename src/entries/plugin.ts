// The entry `tagstream/plugin`: the parts needed to write your own components, for Node.

// plug-ins

export type { ErrorCode, ErrorPlace } from '../core/errors.js';
export { TagstreamError } from '../core/errors.js';
export { scaleResiduals } from '../losses/residuals/residuals.js';
export { copyPlane } from '../optimizers/planes/planes.js';
export {
  defineCodec,
  defineLoss,
  defineOptimizer,
  definePlugin,
  defineStage,
  defineTokenFunction,
  defineTransport,
} from '../plugins/define.js';
export { tokenFunctionsOf } from '../plugins/token-functions-of.js';

// types

export type { TokenFunctions } from '../features/template/token-function.js';
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
  StageContext,
  StageDefinition,
  StageItem,
  StageItems,
  StageOperator,
  TokenFunctionDefinition,
  TransportDefinition,
  ZodSchema,
} from '../interfaces/definitions.js';
export type {
  Message,
  MessageRequest,
  MessageTransport,
  MessageWriter,
} from '../interfaces/messages.js';
export type { Lattice } from '../kernels/lattice.js';
export type { Plane } from '../kernels/memory/plane.js';
