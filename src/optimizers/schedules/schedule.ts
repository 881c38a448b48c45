/** The step size at a moment of training, as a function of the passes made so far (a real number). */
export type Schedule = (passes: number) => number;
