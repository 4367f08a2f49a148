/* The signs of modules that are known as one thing: they are drawn as one pill. */

/** By class; a class that is not listed may be found by its ending (`BatchNorm2d`). */
const SIGNS: Readonly<Record<string, string>> = {
  Linear: "W·x + b",
  LazyLinear: "W·x + b",
  Bilinear: "x₁·W·x₂ + b",
  Embedding: "E[x]",
  EmbeddingBag: "Σ E[x]",
  ReLU: "max(0, x)",
  ReLU6: "min(max(0, x), 6)",
  LeakyReLU: "max(αx, x)",
  PReLU: "max(αx, x)",
  GELU: "x·Φ(x)",
  SiLU: "x·σ(x)",
  Sigmoid: "σ(x)",
  Tanh: "tanh x",
  Softplus: "log(1 + eˣ)",
  ELU: "ELU",
  SELU: "SELU",
  Softmax: "softmax",
  LogSoftmax: "log softmax",
  Dropout: "drop",
  Flatten: "flatten",
  Unflatten: "unflatten",
  Identity: "x",
  MultiheadAttention: "softmax(Q·Kᵀ/√d)·V",
  MSELoss: "mean (x − y)²",
  L1Loss: "mean |x − y|",
  CrossEntropyLoss: "cross entropy",
  NLLLoss: "−log p",
  BCELoss: "BCE",
  BCEWithLogitsLoss: "BCE",
};

const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^ConvTranspose\dd$/, "W ∗ᵀ x + b"],
  [/^(Lazy)?Conv\dd$/, "W ∗ x + b"],
  [/RMSNorm$/, "x/rms(x)·γ"],
  [/Norm(\dd)?$/, "(x − μ)/σ·γ + β"],
  [/MaxPool\dd$/, "max pool"],
  [/AvgPool\dd$/, "mean pool"],
  [/Dropout\dd$/, "drop"],
  [/^Upsample/, "upsample"],
];

/** Where there is little room: the word for what has a long formula. */
export function briefSign(sign: string): string {
  if (sign === SIGNS.MultiheadAttention) return "attention";
  return sign.startsWith("(x − μ)/σ") ? "norm" : sign;
}

/** The sign of a known module, or null. */
export function signOf(className: string): string | null {
  const own = SIGNS[className];
  if (own !== undefined) return own;
  return FAMILIES.find(([family]) => family.test(className))?.[1] ?? null;
}
