/** Takes a match from `start` to `end` of a text; whether more of them are wanted. */
export type TakeRange = (start: number, end: number) => boolean;
