// Computes the formulas of a program, which are data: a number, a name, or [operation, ...operands, {named arguments}].
// A tensor is its shape and its entries, row by row. The operations are numpy's by name; there is no rule in here.

/** @typedef {{shape: number[], data: number[]}} Tensor */

const scalar = (number) => ({ shape: [], data: [number] });
const size = (shape) => shape.reduce((a, b) => a * b, 1);
const WIDEST = 8; // rows and columns of a matrix product

/** Return a tensor of nested lists, in which numbers that JSON has not are names. */
function tensor(nested) {
  const shape = [];
  for (let part = nested; Array.isArray(part); part = part[0]) shape.push(part.length);
  const data = [nested].flat(Infinity).map((x) => (typeof x === "string" ? named(x) : Number(x)));
  return { shape, data };
}

/** Return the shape that tensors are copied to. */
function common(shapes) {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return [...Array(rank).keys()].map((axis) => {
    const lengths = shapes.map((shape) => shape[axis - rank + shape.length] ?? 1);
    return lengths.find((length) => length !== 1) ?? 1;
  });
}

/** Return the entries of a tensor copied to a shape. */
function expanded({ shape, data }, wanted) {
  if (data.length === 1) return Array(size(wanted)).fill(data[0]);
  if (String(shape) === String(wanted)) return data;
  return Array.from({ length: size(wanted) }, (_, place) => {
    let [found, stride, rest] = [0, 1, place];
    for (let axis = wanted.length - 1; axis >= 0; axis--) {
      const own = shape[axis - wanted.length + shape.length] ?? 1;
      if (own !== 1) found += (rest % wanted[axis]) * stride;
      stride *= own;
      rest = Math.floor(rest / wanted[axis]);
    }
    return data[found];
  });
}

/** Return what a function of numbers makes of tensors, entry by entry. */
function each(f, ...tensors) {
  if (tensors.every((one) => !one.shape.length)) return scalar(f(...tensors.map((one) => one.data[0])));
  const shape = common(tensors.map((one) => one.shape));
  const [a, b, c] = tensors.map((one) => expanded(one, shape));
  const data = Array(size(shape));
  for (let place = 0; place < data.length; place++) data[place] = f(a[place], b?.[place], c?.[place]);
  return { shape, data };
}

/** Return what a function of lists makes of the entries along axes; without axes of all of them. */
function along(f, { shape, data }, dim, keepdim = false) {
  const rank = shape.length;
  const axes = dim === undefined || dim === null ? [...shape.keys()] : [dim].flat().map((axis) => (axis + rank) % (rank || 1));
  const kept = shape.map((length, axis) => (axes.includes(axis) ? 1 : length));
  const lists = Array.from({ length: size(kept) }, () => []);
  const places = expanded({ shape: kept, data: [...lists.keys()] }, shape);
  data.forEach((entry, place) => lists[places[place]].push(entry));
  return { shape: keepdim ? kept : shape.filter((_, axis) => !axes.includes(axis)), data: lists.map(f) };
}

const total = (list) => list.reduce((a, b) => a + b, 0);
const T = ({ shape: [rows, columns = 1], shape, data }) =>
  shape.length < 2
    ? { shape, data }
    : { shape: [columns, rows], data: data.map((_, place) => data[(place % rows) * columns + Math.floor(place / rows)]) };

/** Return a matrix product. */
function matmul(left, right) {
  if (left.shape.length > 2 || right.shape.length > 2) throw Error("a product of more than two dimensions");
  if (Math.max(...left.shape, ...right.shape) > WIDEST) throw Error(`a matrix of more than ${WIDEST} rows or columns`);
  const [rows, inner] = left.shape.length > 1 ? left.shape : [1, left.shape[0]];
  const columns = right.shape[1] ?? 1;
  const data = Array.from({ length: rows * columns }, (_, place) => {
    const [row, column] = [Math.floor(place / columns), place % columns];
    let sum = 0;
    for (let k = 0; k < inner; k++) sum += left.data[row * inner + k] * right.data[k * columns + column];
    return sum;
  });
  return { shape: [...left.shape.slice(0, -1), ...right.shape.slice(1)], data };
}

const sigmoid = (x) => (x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x)));
const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const logsumexp = (list) => {
  const most = Math.max(...list);
  return most + Math.log(total(list.map((x) => Math.exp(x - most))));
};
const sameSign = (x, y) => (x % y + y) % y;

/** The operations on numbers. */
const NUMBERS = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "%": sameSign,
  "**": (a, b) => (b === 2 ? a * a : a ** b), "//": (a, b) => Math.floor(a / b), neg: (a) => -a, pos: (a) => a,
  "<": (a, b) => +(a < b), "<=": (a, b) => +(a <= b), ">": (a, b) => +(a > b), ">=": (a, b) => +(a >= b),
  "==": (a, b) => +(a === b), "!=": (a, b) => +(a !== b), where: (a, b, c) => (a ? b : c),
  maximum: (a, b) => Math.max(a, b), minimum: (a, b) => Math.min(a, b), atan2: Math.atan2,
  ...Object.fromEntries(
    ["exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
      "asinh", "acosh", "atanh", "sqrt", "abs", "sign", "floor", "ceil", "trunc"].map((name) => [name, Math[name]]),
  ),
  square: (x) => x * x, reciprocal: (x) => 1 / x, rsqrt: (x) => 1 / Math.sqrt(x), relu: (x) => (x > 0 ? x : x < 0 ? 0 : x),
  sigmoid, softplus, logsigmoid: (x) => -softplus(-x), silu: (x) => x * sigmoid(x),
  logaddexp: (a, b) => logsumexp([a, b]),
}; // prettier-ignore

/** The operations on tensors; the last argument has what was named. */
const TENSORS = {
  sum: (x, dim, named) => along(total, x, named.dim ?? dim, named.keepdim),
  mean: (x, dim, named) => along((list) => total(list) / list.length, x, named.dim ?? dim, named.keepdim),
  max: (x, named) => along((list) => Math.max(...list), x),
  min: (x, named) => along((list) => Math.min(...list), x),
  logsumexp: (x, dim, named) => along(logsumexp, x, named.dim ?? dim, named.keepdim),
  log_softmax: (x, dim, named) => each(NUMBERS["-"], x, along(logsumexp, x, named.dim ?? dim ?? -1, true)),
  softmax: (x, dim, named) => each(Math.exp, TENSORS.log_softmax(x, dim, named)),
  one_hot: (list, count) => ({ shape: [...list.shape, count], data: list.data.flatMap((one) => [...Array(count).keys()].map((at) => Number(at === one))) }),
  cross_entropy: (x, target, named) => {
    const chosen = { ...TENSORS.one_hot(tensor(target), x.shape.at(-1)), shape: x.shape };
    const losses = along(total, each(NUMBERS["*"], TENSORS.log_softmax(x, -1, {}), chosen), -1);
    return along(named.reduction === "sum" ? total : (list) => total(list) / list.length, each(NUMBERS.neg, losses));
  },
  mse_loss: (x, y, named) => along(named.reduction === "sum" ? total : (l) => total(l) / l.length, each((a, b) => (a - b) ** 2, x, y)),
  expand: (x, shape) => ({ shape, data: expanded(x, shape) }),
  reshape: (x, shape) => ({ shape, data: x.data }),
  unsqueeze: (x, dim) => ({ shape: x.shape.toSpliced(dim < 0 ? dim + x.shape.length + 1 : dim, 0, 1), data: x.data }),
  outer: (a, b) => matmul({ shape: [a.data.length, 1], data: a.data }, { shape: [1, b.data.length], data: b.data }),
  dot: (a, b) => matmul(a, b),
  matmul, mm: matmul, mv: matmul, "@": matmul, T, t: T,
};

/** Return the operation of a formula that this page has not, if there is one. */
function missing(tree) {
  if (!Array.isArray(tree)) return null;
  const [operation, ...parts] = tree;
  if (!Object.hasOwn(NUMBERS, operation) && !Object.hasOwn(TENSORS, operation) && operation !== "list") return operation;
  return parts.map(missing).find(Boolean) ?? null;
}

/** Return the value of a formula; `values` are those of its names. */
function evaluate(tree, values) {
  if (typeof tree === "number") return scalar(tree);
  if (typeof tree === "string") return values[tree];
  const [operation, ...parts] = tree;
  if (Object.hasOwn(NUMBERS, operation)) return each(NUMBERS[operation], ...parts.map((part) => evaluate(part, values)));
  if (operation === "list") return tensor(plain(tree));
  const isNamed = (part) => part !== null && typeof part === "object" && !Array.isArray(part);
  const operands = parts.filter((part) => !isNamed(part)).map((part, place) => (place && isPlain(part) ? plain(part) : evaluate(part, values)));
  const options = Object.fromEntries(Object.entries(parts.find(isNamed) ?? {}).map(([name, part]) => [name, isPlain(part) ? plain(part) : part]));
  const f = TENSORS[operation];
  while (operands.length < f.length - 1) operands.push(undefined);
  return f(...operands, options);
}

/** Whether an operand is a number or a list of them, such as a shape. */
const isPlain = (part) => !Array.isArray(part) ? typeof part !== "string" : part[0] === "list" || (part[0] === "neg" && typeof part[1] === "number");
const plain = (part) => (!Array.isArray(part) ? part : part[0] === "neg" ? -part[1] : part.slice(1).map(plain));

/** Return the values of all nodes, and the gradients of those that have one, at a point: a tensor by the name of each leaf. */
function computed({ nodes, steps, output, upstream, g }, point) {
  const values = { ...point };
  for (const [id, tree] of nodes) values[id] = evaluate(tree, values);
  const gradients = { [output]: tensor(upstream) };
  for (const [node, input, rule] of steps) {
    const contribution = evaluate(rule, { ...values, [g]: gradients[node] });
    gradients[input] = input in gradients ? each(NUMBERS["+"], gradients[input], contribution) : contribution;
  }
  return { values, gradients };
}
