// The entry `tagstream/plugin`: the parts needed to write your own components, for Node.

// plug-ins

export type { ErrorCode, ErrorPlace } from '../engine/core/errors.js';
export { TagstreamError } from '../engine/core/errors.js';
export { scaleResiduals } from '../engine/losses/residuals/residuals.js';
export { copyPlane } from '../engine/optimizers/planes/planes.js';
export {
  defineCodec,
  defineLoss,
  defineOptimizer,
  definePlugin,
  defineStage,
  defineTokenFunction,
  defineTransport,
} from '../runtime/plugins/define.js';
export { tokenFunctionsOf } from '../runtime/plugins/token-functions-of.js';

// types

export type { TokenFunctions } from '../engine/features/template/token-function.js';
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
} from '../engine/interfaces/definitions.js';
export type {
  Message,
  MessageRequest,
  MessageTransport,
  MessageWriter,
} from '../engine/interfaces/messages.js';
export type { Lattice } from '../engine/kernels/lattice.js';
export type { Plane } from '../engine/kernels/memory/plane.js';
