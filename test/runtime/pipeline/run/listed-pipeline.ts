import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';

/** The pipeline of a file that trains on `train.ndjson` with these features, and keeps a checkpoint a pass. */
export function listedPipeline(file: string, featurize: string, epochs = 4) {
  return parsePipeline(
    `version: 1
name: lists
source: { ndjson: { files: [train.ndjson] } }
stages:
  - featurize: ${featurize}
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
  - checkpoint: { dir: checkpoints, every: epoch }
train: { epochs: ${epochs}, seed: 7 }
model: out.model
`,
    file,
  );
}
