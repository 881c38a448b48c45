/**
 * How a model is trained from scratch on answers. More passes hardly change scores at the sizes that people label. AdaGrad,
 * whose steps do not grow with the length of a record: plain gradient descent gave lower scores, and now and then a training
 * that had gone wrong.
 */
export const retrainSettings = { epochs: 15, adagrad: { eta0: 0.2, l2: 0.5 } } as const;
