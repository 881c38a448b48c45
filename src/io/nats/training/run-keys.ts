/** The keys of a run; its number of 32 hexadecimal digits is made of all that its results depend on. */
export const runKeys = {
  job: (run: string): string => `${run}.job`,
  sentences: (run: string, shard: number): string => `${run}.sentences.${shard}`,
  places: (run: string, shard: number): string => `${run}.places.${shard}`,
  weights: (run: string, pass: number): string => `${run}.weights.${pass}`,
  result: (run: string, pass: number, shard: number): string => `${run}.result.${pass}.${shard}`,
  results: (run: string, pass: number): string => `${run}.result.${pass}.*`,
  failure: (run: string): string => `${run}.failure`,
  lease: (run: string): string => `lease.${run}`,
} as const;
