/** The sum of matrices of `size x size`; zeros where there are none. */
export function sumMatrices(matrices: readonly number[][][], size: number): number[][] {
  return Array.from({ length: size }, (_, from) =>
    Array.from({ length: size }, (_, to) =>
      matrices.reduce((sum, matrix) => sum + matrix[from]![to]!, 0),
    ),
  );
}
