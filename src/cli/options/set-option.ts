/** The option of commands whose pipeline file is the start of a run. */
export const setOption = {
  set: {
    type: 'string',
    array: true,
    nargs: 1,
    describe:
      'override a setting, by its keys in the pipeline file: stages.optimize.sgd.eta0=0.05; paths in the value start at the folder of that file',
  },
} as const;
