
// ---- What if: sliders give the leaves other values, and values, local derivatives and gradients follow

const trial = one(".what-if");
const CURVE = { width: 240, height: 96, points: 61 };
let later = 0; // the other curves follow when the hand rests
let followers = null; // the elements whose numbers follow, and the formulas of the local derivatives
let point = null; // a tensor by the name of each leaf

/** Return a number as the page writes it. */
function written(value, digits = 6) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Number.isInteger(value) && Math.abs(value) < 1e12) return String(value + 0);
  return String(Number(value.toPrecision(digits))).replace(/e([-+])(\d)$/, "e$10$2");
}

/** Return a small tensor as the page writes it, of a large one the shape. */
function listing({ shape, data }, isTruth = false) {
  const entry = (x, digits) => (isTruth ? (x ? "True" : "False") : written(x, digits));
  if (!shape.length) return entry(data[0]);
  const vector = (digits) => `[${[...data].map((x) => entry(x, digits)).join(", ")}]`;
  const lines = (whole) => (shape.length === 2 ? rows(shape[1], [...data].map((x) => entry(x, 4))) : whole.length > 26 ? vector(4) : whole);
  const text = data.length > 9 || shape.length > 2 ? "" : lines(vector());
  return text && text.indexOf("]") < 36 ? text : `${shape.join("×")} numbers`;
}

/** Return a line for each row of a matrix, the numbers of a column at their points. */
function rows(width, texts) {
  const after = (text) => text.split(".")[1]?.length ?? -1;
  for (let column = 0; column < width; column++) {
    const own = [...texts.keys()].filter((n) => n % width === column);
    const most = Math.max(...own.map((n) => after(texts[n])));
    for (const n of own) texts[n] += "\u00a0".repeat(most - after(texts[n]));
    const wide = Math.max(...own.map((n) => texts[n].length));
    for (const n of own) texts[n] = texts[n].padStart(wide, "\u00a0");
  }
  return [...Array(texts.length / width).keys()].map((row) => `[${texts.slice(row * width, (row + 1) * width).join("\u00a0\u00a0")}]`).join("\n");
}

/** Return the leaf and the place of the entry behind `W[0,1]`. */
function entryOf(name) {
  const [, leaf, at] = /^(.*?)(?:\[([\d,]+)\])?$/.exec(name);
  const { shape } = point[leaf];
  const place = (at ?? "").split(",").filter(Boolean).reduce((sum, index, axis) => sum * shape[axis] + Number(index), 0);
  return { leaf, place };
}

/** Return a point at which one entry is another number. */
function moved(name, value) {
  const { leaf, place } = entryOf(name);
  return { ...point, [leaf]: { shape: point[leaf].shape, data: point[leaf].data.with(place, value) } };
}

/** Return the number that the program has at a point. */
const outcome = (at) => computed({ ...formulas, steps: [] }, at).values[formulas.output].data[0];

/** Whether what the page computes at the given point is what the page has been given. */
function agrees() {
  const { gradients } = computed(formulas, point);
  return Object.entries(formulas.gradients).every(([id, given]) => {
    const { data } = tensor(given);
    return gradients[id]?.data.length === data.length && data.every((entry, place) =>
      Object.is(entry, gradients[id].data[place]) || Math.abs(entry - gradients[id].data[place]) <= 1e-9 * Math.max(1, Math.abs(entry)));
  });
}

/** Return why the page cannot compute the program, if it cannot. */
function obstacle() {
  const absent = [...formulas.nodes.map(([, tree]) => tree), ...formulas.steps.map(([, , rule]) => rule)].map(missing).find(Boolean);
  if (absent) return `This page cannot compute ${absent}, so there is no slider.`;
  try {
    return agrees() ? null : "This page computes other digits than the engine, so there is no slider.";
  } catch (error) {
    return `This page cannot compute the program (${error.message}), so there is no slider.`;
  }
}

/** Show the numbers at the point. */
function attempt(moved) {
  isTrying = true;
  const { values, gradients } = computed(formulas, point);
  for (const element of followers.value) write(element, listing(values[element.dataset.value], followers.truths.has(element.dataset.value)));
  for (const element of followers.gradOf) {
    const gradient = gradients[element.dataset.gradOf];
    if (gradient) write(element, listing(gradient).replaceAll("\n", `\n${"\u00a0".repeat(5)}`)); // behind a word
  }
  for (const element of followers.local) {
    const text = listing(evaluate(followers.trees[element.dataset.local], values));
    write(element, text.startsWith("-") ? `×(${text})` : `×${text}`);
  }
  const result = values[formulas.output].data[0];
  for (const block of trial.querySelectorAll(".leaf")) {
    const { leaf, place } = entryOf(block.dataset.at);
    means(block, point[leaf].data[place], gradients[leaf].data[place], result, !moved || block.contains(moved));
  }
  clearTimeout(later);
  if (moved) later = setTimeout(() => isTrying && attempt(null), 120);
  main.toggleAttribute("data-trying", true);
  sentence.textContent = `What if? Here ${formulas.output} = ${written(result)}.`;
}

/** Tell what a gradient means, and draw the curve with its tangent. */
function means(block, value, slope, result, isDrawn = true) {
  const { at, stepOf } = block.dataset;
  const really = outcome(moved(at, value + Number(stepOf))) - result;
  const [expected, change] = [slope * stepOf, really].map((x) => written(Math.abs(x), 4));
  const grows = slope > 0 ? "grow" : "shrink";
  const { output } = formulas;
  const more = really ? `; really it ${really > 0 ? "grows" : "shrinks"} by ${change}` : "";
  block.querySelector("[data-meaning]").textContent = slope
    ? `${at} + ${written(Number(stepOf))} makes ${output} ${grows} by about ${expected}; really ${really * slope < 0 ? "-" : ""}${change}.`
    : `${at} + ${written(Number(stepOf))} leaves ${output} as it is, as far as the slope tells${more}.`;
  if (isDrawn) curve(block, value, slope, result);
}

/** Draw the output over one entry, and the tangent whose slope is the gradient. */
function curve(block, value, slope, result) {
  const svg = block.querySelector(".curve");
  const slider = block.querySelector("[data-leaf]");
  const [start, end] = [Math.min(Number(slider.min), value), Math.max(Number(slider.max), value)];
  const steps = [...Array(CURVE.points).keys()].map((n) => start + ((end - start) * n) / (CURVE.points - 1));
  const heights = steps.map((x) => outcome(moved(block.dataset.at, x)));
  const finite = heights.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite, result), Math.max(...finite, result)];
  const x = (number) => 4 + ((number - start) / (end - start)) * (CURVE.width - 8);
  const y = (number) => CURVE.height - 6 - ((number - low) / (high - low || 1)) * (CURVE.height - 12);
  const point = ([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`;
  const path = steps.map((a, n) => (Number.isFinite(heights[n]) ? `${n && Number.isFinite(heights[n - 1]) ? "L" : "M"}${point([a, heights[n]])}` : "")).join("");
  const ends = [start, end].map((a) => point([a, result + slope * (a - value)]));
  svg.replaceChildren(
    drawn("path", { d: path, class: "function" }),
    ...(Number.isFinite(slope) && Number.isFinite(result) ? [drawn("path", { d: `M${ends[0]}L${ends[1]}`, class: "tangent" }), drawn("circle", { cx: x(value), cy: y(result), r: 4 })] : []),
  );
  svg.setAttribute("aria-label", `${formulas.output} over ${block.dataset.at}; at ${written(value)} the slope is ${written(slope)}`);
  svg.toggleAttribute("hidden", false);
}

/** Go back to the values of the program. */
function restore() {
  isTrying = false;
  main.toggleAttribute("data-trying", false);
  begin();
  for (const player of players) player.shown = undefined; // what is drawn next is drawn anew
  for (const element of followers.local) write(element, element.given);
}

/** Take the values of the program. */
function begin() {
  point = Object.fromEntries(Object.entries(formulas.point).map(([id, value]) => [id, tensor(value)]));
  for (const input of trial.querySelectorAll("[data-leaf], [data-number]")) {
    const { leaf, place } = entryOf(input.dataset.leaf ?? input.dataset.number);
    input.value = point[leaf].data[place];
  }
  const { values, gradients } = computed(formulas, point);
  for (const block of trial.querySelectorAll(".leaf")) {
    const { leaf, place } = entryOf(block.dataset.at);
    means(block, point[leaf].data[place], gradients[leaf].data[place], values[formulas.output].data[0]);
  }
}

/** Switch the sliders on, if the page can compute the program. */
function tries() {
  if (!trial || !formulas) return;
  point = Object.fromEntries(Object.entries(formulas.point).map(([id, value]) => [id, tensor(value)]));
  const why = obstacle();
  if (why) {
    trial.dataset.whatIf = "off";
    const reason = trial.querySelector(".why-not");
    reason.textContent = why;
    reason.hidden = false;
    return;
  }
  followers = { value: all("[data-value]"), gradOf: all("[data-grad-of]"), local: all("[data-local]"), trees: Object.fromEntries(formulas.locals) };
  followers.truths = new Set(formulas.nodes.filter(([, tree]) => /^([<>]=?|[!=]=)$/.test(tree[0])).map(([id]) => id));
  for (const element of followers.local) element.given = element.textContent;
  for (const part of trial.querySelectorAll("label, [data-action]")) part.hidden = false;
  begin();
  trial.addEventListener("input", ({ target }) => {
    const name = target.dataset.leaf ?? target.dataset.number;
    const value = target.value === "" ? NaN : Number(target.value);
    if (name === undefined || Number.isNaN(value)) return;
    if (!isTrying) go(last);
    point = moved(name, value);
    for (const input of target.parentNode.querySelectorAll("input")) if (input !== target) input.value = value;
    attempt(target);
  });
  ACTIONS.reset = () => go(step);
}

tries();
// for whoever embeds the page, or tests it
Object.assign(globalThis, { gradcliTensor: tensor, gradcliComputed: (at) => computed(formulas, at) });

/** Put what is told about the leaves below the scene where there is no room beside the graph. */
const wide = matchMedia("(min-width: 60rem), (min-width: 34rem) and (max-height: 34rem)");
function settle() {
  if (trial) (wide.matches ? told : scene).append(trial);
  if (trial && !wide.matches) scene.after(trial);
}
wide.addEventListener("change", settle);
settle();
