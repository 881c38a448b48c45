/** The page of everything that a pipeline file can name. */
export function pipelineReference(dist: string): Promise<string>;
