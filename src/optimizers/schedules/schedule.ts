/** The step size as a function of the passes made so far (a real number). */
export type Schedule = (passes: number) => number;
