// The player of a step page. Everything is worked out before the page is written: an element has the number of a track,
// and a track says what is shown from which step on. The player knows the current step, and no mathematics.

/** @typedef {{ask: string, answer: number[], wrong: [number[], string][], searched: boolean, hint: string}} Question */

const main = document.querySelector('main[data-gradcli="lesson"]');
const one = (selector) => main.querySelector(selector);
const all = (selector) => [...main.querySelectorAll(selector)];

const { tracks, questions, formulas, loss } = JSON.parse(document.getElementById("gradcli-steps").textContent);
const last = Number(main.dataset.steps);
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const articles = all(".step");
const slider = one("[data-steps-slider]");
const sentence = one("[data-sentence]");
const verdict = one("[data-verdict]");
const form = one(".predict");
const input = one("[data-predict]");
const view = one(".view");
const about = one("[data-about]");
const phaseName = one("[data-phase-name]");
const count = one("[data-count]");
const ends = Object.entries({ first: 0, previous: 0, next: last, last }).map(([action, end]) => [one(`[data-action="${action}"]`), end]);
const movers = []; // numbers on their way along an arrow
const scene = one(".scene");
const told = one(".told");
const paged = all(".controls, .view, .panel, .told"); // they look different forward and backward

let step = 0;
let isPredicting = false;
let isTrying = false; // other values of the leaves
let isPresenting = false;
let timer = 0;
const answered = new Set();

// ---- What is shown at a step

/** Return what a track, `[step, shown, step, shown, ...]`, shows at a step. */
function at(track, number) {
  let low = 0;
  let high = track.length / 2 - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (track[2 * middle] <= number) low = middle;
    else high = middle - 1;
  }
  return track[2 * low + 1];
}

/** Let an element say something else, in a picture line by line; the same again would cost a layout. */
function write(element, text) {
  if (element.textContent === text) return;
  const box = element.closest("[data-node]")?.querySelector("rect");
  if (!box) return (element.textContent = text);
  const [first, ...lines] = text.split("\n");
  const x = element.closest("text").getAttribute("x");
  const room = box.getAttribute("width") - 12 - (element.matches("tspan") ? 5 * LETTER : 0);
  for (const way of ["textLength", "lengthAdjust"]) element.removeAttribute(way);
  element.replaceChildren(first, ...lines.map((line) => drawn("tspan", { x, dy: 20 }, line)));
  if (first.length * LETTER > room)
    for (const line of lines.length ? element.children : [element]) narrowed(line, room);
}

/** Let a line that is longer than foreseen have narrower letters. */
function narrowed(line, room) {
  line.setAttribute("textLength", room);
  line.setAttribute("lengthAdjust", "spacingAndGlyphs");
}

const LETTER = 8.43; // pixels of a letter in a box

/** How an element takes what its track shows, by the attribute that has the number of the track. */
const WAYS = {
  look: (element, shown) => element.setAttribute("data-state", shown),
  text: write,
  label: (element, shown) => element.setAttribute("aria-label", shown),
  shown: (element, shown) => element.toggleAttribute("hidden", !shown),
};

const players = Object.entries(WAYS).flatMap(([way, show]) =>
  all(`[data-${way}]`).map((element) => ({
    element,
    show,
    track: tracks[element.getAttribute(`data-${way}`)],
    isLate: way === "text" || way === "label", // while the reader is asked for a number, the one before it is shown
    shown: undefined,
  })),
);

/** Show every element as of a step, and return those that are active; only what differs is touched. */
function draw(number, isAsking) {
  const active = [];
  for (const player of players) {
    const shown = at(player.track, player.isLate && isAsking ? number - 1 : number);
    if (shown === "active") active.push(player.element);
    if (shown === player.shown) continue;
    player.shown = shown;
    player.show(player.element, shown);
  }
  return active;
}

/** Go to a step. */
function go(number) {
  if (isTrying) restore();
  articles[step].removeAttribute("data-now");
  if (told.scrollTop) told.scrollTop = 0;
  step = Math.min(Math.max(Math.round(number) || 0, 0), last);
  const article = articles[step];
  const question = isPredicting && !answered.has(step) ? questions[step] : undefined;
  const active = draw(step, question !== undefined);
  article.setAttribute("data-now", "");
  main.dataset.step = step;
  for (const part of paged) part.dataset.phase = article.dataset.phase;
  main.toggleAttribute("data-asking", question !== undefined);
  sentence.textContent = question ? question.ask : article.querySelector(".says").textContent;
  phaseName.textContent = `Step ${step}: ${article.querySelector(".phase").textContent}`;
  verdict.textContent = "";
  verdict.removeAttribute("data-right");
  form.hidden = question === undefined;
  if (question) {
    input.value = "";
    input.placeholder = question.answer.length > 1 ? `${question.answer.length} numbers` : "a number";
    if (!isPresenting) input.focus({ preventScroll: true });
  }
  slider.value = step;
  slider.setAttribute("aria-valuetext", `Step ${step} of ${last}`);
  count.textContent = `${step} of ${last}`;
  for (const [button, end] of ends) button.setAttribute("aria-disabled", step === end);
  fitted(); // which leaves the picture its room
  follow(active.sort((a, b) => ("edge" in a.dataset) - ("edge" in b.dataset)));
  for (const mover of movers.splice(0)) mover.remove();
  if (!question) travel(active);
  lose();
  for (const pass of passes) pass.toggleAttribute("data-now", pass === passes.findLast((one) => Number(one.dataset.first) <= step));
  remember();
}

// ways to write the numbers of a step, each of which takes less room: beside each other, else below each other
const FITS = ["row", "row small", "", "small dense", "small dense bare", "small dense bare corners", "small dense bare corners results"];

/** Let the numbers of the step take as little room as it needs for all of them to be in sight. */
function fitted() {
  const article = articles[step];
  const product = article.querySelector(".product");
  const isIn = () => product.getBoundingClientRect().bottom <= told.getBoundingClientRect().bottom && product.scrollWidth <= product.clientWidth;
  for (const way of product ? FITS : [""]) {
    scene.toggleAttribute("data-tight", way.endsWith("results"));
    article.dataset.fit = way;
    if (product && isIn()) return;
  }
}
addEventListener("resize", fitted);

/** Keep the active parts of the picture, the table and the text in sight. */
function follow(elements) {
  for (const camera of cameras) look(camera, elements.filter((element) => camera.graph.contains(element)));
  for (const box of new Set(elements.map((element) => element.closest(".code, .scroll")).filter(Boolean))) {
    const outer = box.getBoundingClientRect();
    const inner = elements.find((element) => box.contains(element)).getBoundingClientRect();
    const [left, top] = [["left", "right"], ["top", "bottom"]].map(([start, end]) =>
      over(inner[start], inner[end], outer[start], outer[end]),
    );
    if (left || top) box.scrollBy({ left, top });
  }
}

const EDGE = 24; // pixels around what is in sight

/** Return how far to scroll so that what lies between `low` and `high` is seen between `start` and `end`. */
function over(low, high, start, end) {
  if (high - low > end - start) return 0;
  return low < start ? low - start - EDGE : high > end ? high - end + EDGE : 0;
}

// ---- Training: the sections of the passes, and the curve of the losses, which is a slider

const passes = all("[data-pass]");
const curveSlider = one("[data-loss] input");

/** Show where on the curve the step is. */
function lose() {
  if (!loss) return;
  const place = Math.max(loss.steps.findLastIndex((first) => first <= step), 0);
  one("[data-loss] path").setAttribute("d", `M${loss.points[place].join(" ")}h0`);
  const words = `loss ${String(Number(loss.values[place].toPrecision(6))).replace(/e([-+])(\d)$/, "e$10$2")}`;
  one("[data-loss] figcaption").textContent = words;
  curveSlider.value = place;
  curveSlider.setAttribute("aria-valuetext", `${loss.by} ${place}, ${words}`);
}
curveSlider?.addEventListener("input", () => {
  if (timer) pause();
  go(loss.steps[Number(curveSlider.value)]);
});
for (const pass of passes) pass.addEventListener("click", () => go(Number(pass.dataset.first)));

// ---- The camera: the whole graph where its letters can be read, else the part that the step is about, and an overview

const LEAST = 0.85; // as large the letters of a picture are at least, of those of the page: 11 pixels
const MOST = 1.3;
const LOW = 280; // pixels of a picture in which a map covers no box
const AROUND = 14; // what is seen around a box
let zoom = 1;
let isWhole = false; // the whole graph was asked for, however small

const cameras = all(".stage").map((stage) => {
  const graph = stage.querySelector(".graph");
  const { x, y, width, height } = graph.viewBox.baseVal;
  const places = new Map();
  for (const node of graph.querySelectorAll("[data-node]")) {
    const { e, f } = node.transform.baseVal[0].matrix;
    const { width: w, height: h } = node.querySelector("rect");
    places.set(node.dataset.node, { x: e, y: f, width: w.baseVal.value, height: h.baseVal.value });
  }
  return { stage, graph, places, whole: { x, y, width, height }, seen: null, overview: null, closeUp: null, timer: 0 };
});

/** Return the box around the places of some elements; of an edge these are both ends. */
function around({ places }, elements) {
  const ids = elements.flatMap(({ dataset }) => (dataset.ends ? JSON.parse(dataset.ends) : [dataset.node]));
  const lines = elements.filter(({ dataset }) => dataset.ends).map((edge) => edge.querySelector("path").getBBox());
  const found = [...ids.map((id) => places.get(id)).filter(Boolean), ...lines];
  if (!found.length) return null;
  const [left, top] = ["x", "y"].map((low) => Math.min(...found.map((one) => one[low])) - AROUND);
  const right = Math.max(...found.map((one) => one.x + one.width)) + AROUND;
  const bottom = Math.max(...found.map((one) => one.y + one.height)) + AROUND;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Show a graph as a whole, or of one that would be too small the part with some elements. */
function look(camera, elements = []) {
  const { graph, whole } = camera;
  const { clientWidth: width, clientHeight: height } = graph;
  if (!width || !height) return;
  const letters = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const fit = Math.min(width / whole.width, height / whole.height);
  const active = around(camera, elements);
  const near = active ? Math.min(width / active.width, height / active.height) : Infinity; // both ends of an arrow
  const least = LEAST * letters * (elements.length ? 1 : 0.5); // where nothing happens, the whole is what there is to see
  approach(camera, Math.max(fit, near) < least && zoom === 1 && !isWhole ? elements : [], letters);
  const scale = isWhole ? fit * zoom : Math.min(Math.max(fit, Math.min(least, near)), MOST * letters) * zoom;
  const seen = { width: width / scale, height: height / scale };
  const nodes = elements.filter((element) => element.dataset.node);
  const boxes = [elements, nodes, nodes.slice(0, 1)].map((some) => around(camera, some)).filter(Boolean);
  const wanted = boxes.find((box) => box.width <= seen.width && box.height <= seen.height) ?? boxes.at(-1);
  for (const [low, length] of [["x", "width"], ["y", "height"]]) {
    const before = camera.seen ? camera.seen[low] + (camera.seen[length] - seen[length]) / 2 : whole[low];
    let start = before;
    if (wanted && (wanted[low] < start || wanted[low] + wanted[length] > start + seen[length]))
      start = wanted[low] + (wanted[length] - seen[length]) / 2;
    const most = whole[low] + whole[length] - seen[length];
    seen[low] = most <= whole[low] ? (whole[low] + most) / 2 : Math.min(Math.max(start, whole[low]), most);
  }
  show(camera, seen);
}

const GAP = { across: 80, down: 42 }; // at least between the boxes of a close-up, where labels stand
const BESIDE = 5; // around and between boxes there
const NAMED = 32; // the height of a box that has its name alone

/** Show the ends of arrows that are too long to be read as they are drawn: copies of their boxes, brought together. */
function approach(camera, elements, letters) {
  const { stage, graph } = camera;
  camera.closeUp?.remove();
  camera.closeUp = null;
  const edges = elements.filter(({ dataset }) => dataset.ends);
  stage.toggleAttribute("data-close", edges.length > 0);
  if (!edges.length) return;
  const svg = drawn("svg", { class: "close", "aria-hidden": "true" });
  graph.after(svg);
  camera.closeUp = svg;
  const { clientWidth: width, clientHeight: height } = svg; // as high as the map leaves it
  const scaleOf = (plan) => Math.min(width / plan.width, height / plan.height);
  const plans = [false, true].map((isNamed) => ["across", "down"].map((way) => planned(camera, edges, way, isNamed)));
  const best = plans.map((pair) => pair.reduce((one, other) => (scaleOf(one) < scaleOf(other) ? other : one)));
  const plan = best.find((one) => scaleOf(one) >= LEAST * letters) ?? best[1];
  const scale = Math.min(scaleOf(plan), MOST * letters);
  const [wide, high] = [width / scale, height / scale];
  svg.setAttribute("viewBox", `${(plan.width - wide) / 2} ${(plan.height - high) / 2} ${wide} ${high}`);
  svg.append(...edges.map((edge, place) => connected(edge, plan, place, edges.length)));
  for (const [id, box] of plan.boxes) svg.append(copied(camera, id, box, plan.isNamed));
}

/** Return where the boxes of some edges stand in a close-up: those that the edges come from beside, or above, the others. */
function planned({ graph, places }, edges, way, isNamed) {
  const ends = edges.map(({ dataset }) => JSON.parse(dataset.ends));
  const boxes = new Map();
  const [along, over] = way === "across" ? ["width", "height"] : ["height", "width"];
  const lines = [0, 1].map((end) => [...new Set(ends.map((pair) => pair[end]))].map((id) => {
    const box = { ...places.get(id) };
    if (isNamed) Object.assign(box, { height: NAMED, width: (titleOf(graph, id).length + 3) * LETTER });
    boxes.set(id, box);
    return box;
  }));
  const letters = Math.max(...edges.map((edge) => edge.querySelector("text")?.textContent.length ?? 0));
  const gap = way === "across" ? Math.max(GAP[way], (letters + 3) * LETTER) : GAP[way];
  const long = (line) => line.reduce((sum, box) => sum + box[over] + BESIDE, -BESIDE);
  const most = Math.max(...lines.map(long));
  let start = BESIDE;
  for (const line of lines) {
    let at = BESIDE + (most - long(line)) / 2;
    const thick = Math.max(...line.map((box) => box[along]));
    for (const box of line) {
      Object.assign(box, way === "across" ? { x: start + (thick - box.width) / 2, y: at } : { x: at, y: start + (thick - box.height) / 2 });
      at += box[over] + BESIDE;
    }
    start += thick + (line === lines[0] ? gap : BESIDE);
  }
  return { way, isNamed, boxes, [along]: start, [over]: most + 2 * BESIDE };
}

const nodeOf = (graph, id) => graph.querySelector(`[data-node="${CSS.escape(id)}"]`);
const titleOf = (graph, id) => nodeOf(graph, id).querySelector("text").textContent;

/** Return a copy of the box of a node; it shows what the box shows, and is no node of the graph. */
function copied({ graph }, id, { x, y, width, height }, isNamed) {
  const copy = bare(nodeOf(graph, id));
  copy.setAttribute("transform", `translate(${x} ${y})`);
  if (isNamed) {
    const [title, ...others] = copy.querySelectorAll("text");
    for (const text of others) text.remove();
    title.setAttribute("x", width / 2);
    for (const [name, length] of Object.entries({ width, height })) copy.querySelector("rect").setAttribute(name, length);
  }
  return copy;
}

/** Return a copy of an edge that runs between two boxes of a close-up. */
function connected(edge, { way, boxes }, place, count) {
  const [from, to] = JSON.parse(edge.dataset.ends).map((id) => boxes.get(id));
  const aside = (place - (count - 1) / 2) * 12;
  const middle = (box, low, length) => box[low] + box[length] / 2 + Math.min(Math.max(aside, 8 - box[length] / 2), box[length] / 2 - 8);
  const isAcross = way === "across";
  const [start, end] = isAcross
    ? [[from.x + from.width, middle(from, "y", "height")], [to.x, middle(to, "y", "height")]]
    : [[middle(from, "x", "width"), from.y + from.height], [middle(to, "x", "width"), to.y]];
  const copy = bare(edge);
  const half = isAcross ? [(start[0] + end[0]) / 2, 0] : [0, (start[1] + end[1]) / 2];
  const bends = [start, end].map((point) => point.map((value, axis) => half[axis] || value).join(" "));
  const [line, ...heads] = copy.querySelectorAll("path");
  line.setAttribute("d", `M${start.join(" ")}C${bends.join(" ")} ${end.join(" ")}`);
  for (const head of heads)
    head.setAttribute("transform", `translate(${head.matches(".there") ? end : start})${isAcross ? "" : " rotate(90)"}`);
  const label = copy.querySelector("text");
  const [x, y] = [0, 1].map((axis) => (start[axis] + end[axis]) / 2);
  label?.setAttribute("x", isAcross ? x : x + 8 + label.textContent.length * 4);
  label?.setAttribute("y", isAcross ? y - 8 : y + 4);
  return copy;
}

/** Return a copy of a part of the picture that nothing finds and nobody reads out. */
function bare(element) {
  const copy = element.cloneNode(true);
  for (const part of [copy, ...copy.querySelectorAll("*")])
    for (const name of part.getAttributeNames()) if (/^(data-(?!state)|role|tabindex|aria|id$)/.test(name)) part.removeAttribute(name);
  if (element.dataset.edge) copy.dataset.copyOf = element.dataset.edge;
  return copy;
}

/** Move to what is to be seen. */
function show(camera, seen) {
  const from = camera.seen;
  camera.seen = seen;
  camera.isPart = seen.width < camera.whole.width - 1 || seen.height < camera.whole.height - 1;
  const set = (share) => {
    const now = ["x", "y", "width", "height"].map((key) => (from ? from[key] + (seen[key] - from[key]) * share : seen[key]));
    camera.graph.setAttribute("viewBox", now.map((value) => value.toFixed(1)).join(" "));
  };
  cancelAnimationFrame(camera.timer);
  if (!from || calm.matches || camera.isDragged) set(1);
  else {
    const start = performance.now();
    const frame = (now) => {
      const share = Math.min(Math.max((now - start) / 250, 0), 1);
      set(share * (2 - share));
      if (share < 1) camera.timer = requestAnimationFrame(frame);
    };
    camera.timer = requestAnimationFrame(frame);
  }
  overview(camera);
}

/** Draw a small map of a graph of which a part is seen. */
function overview(camera) {
  if (!camera.isPart) {
    camera.overview?.map.remove();
    camera.overview = null;
    camera.graph.style.touchAction = "";
    return;
  }
  const { clientWidth, clientHeight } = camera.stage; // before anything is written, which would cost a layout
  camera.overview ??= mapped(camera);
  const { map, boxes, frame } = camera.overview;
  const { width, height } = camera.whole;
  const isClose = camera.closeUp !== null; // below the close-up, in which no arrow says where it is
  const [most, high] = isClose ? [0.9, 0.3] : [0.27, 0.22];
  map.style.width = `${width * Math.min((most * clientWidth) / width, (high * clientHeight) / height)}px`;
  camera.graph.style.touchAction = "pinch-zoom";
  for (const [node, box] of boxes) box.classList.toggle("now", node.dataset.state === "active");
  const corners = [[0, 1], [1, 1], [0, 0]].map(([right, low]) => ({ right, low, hidden: covered(camera, right, low) }));
  const { right, low, hidden } = corners.reduce((best, one) => (one.hidden < best.hidden ? one : best));
  map.toggleAttribute("hidden", !isClose && hidden > 0 && clientHeight < LOW);
  map.style.inset = isClose ? "auto 50% 0.5rem auto" : `${low ? "auto" : "0.6rem"} ${right ? "0.6rem" : "auto"} ${low ? "0.6rem" : "auto"} ${right ? "auto" : "0.6rem"}`;
  for (const [name, value] of Object.entries(camera.seen)) frame.setAttribute(name, value);
  for (const line of map.querySelectorAll("path")) line.remove();
  if (isClose) for (const edge of camera.graph.querySelectorAll(".edge[data-state=active]")) map.append(drawn("path", { d: edge.querySelector("path").getAttribute("d") }));
}

/** Return how many boxes a map in a corner would cover. */
function covered({ seen, places }, right, low) {
  const [x, y] = [seen.x + right * 0.7 * seen.width, seen.y + low * 0.75 * seen.height];
  const isUnder = (box) => box.x < x + 0.3 * seen.width && box.x + box.width > x && box.y < y + 0.25 * seen.height && box.y + box.height > y;
  return [...places.values()].filter(isUnder).length;
}

/** Return a new map: its boxes with their nodes, and the frame around what is seen. */
function mapped({ graph, places, stage, whole: { x, y, width, height } }) {
  const map = drawn("svg", { class: "overview", viewBox: `${x} ${y} ${width} ${height}`, "aria-hidden": "true" });
  const boxes = [...graph.querySelectorAll("[data-node]")].map((node) => [node, drawn("rect", places.get(node.dataset.node))]);
  const frame = drawn("rect", { class: "frame" });
  map.append(...boxes.map(([, box]) => box), frame);
  stage.append(map);
  return { map, boxes, frame };
}

/** Return a new element of a picture. */
function drawn(tag, attributes, text = "") {
  const element = document.createElementNS(one("button svg").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

function zoomed(by) {
  isWhole = !by && !(isWhole && zoom === 1); // once more shows again what the step is about
  zoom = by ? Math.min(Math.max(zoom * by, 0.4), 5) : 1;
  for (const camera of cameras) look(camera, by ? [] : all("[data-state=active]").filter((one) => camera.graph.contains(one)));
}

for (const camera of cameras) {
  let last = null;
  camera.graph.addEventListener("pointerdown", (event) => camera.isPart && (last = event));
  addEventListener("pointerup", () => (last = camera.isDragged = null));
  addEventListener("pointermove", (event) => {
    if (!last || !event.buttons) return;
    const scale = camera.graph.clientWidth / camera.seen.width;
    const moved = { ...camera.seen, x: camera.seen.x - (event.clientX - last.clientX) / scale };
    moved.y -= (event.clientY - last.clientY) / scale;
    last = event;
    camera.isDragged = true;
    show(camera, moved);
  });
  new ResizeObserver(() => look(camera, all("[data-state=active]").filter((one) => camera.graph.contains(one)))).observe(camera.graph);
}

// ---- The address

/** Write the step into the address, where a page may. */
function remember() {
  try {
    history.replaceState(null, "", `#step=${step}${isPresenting ? "&present" : ""}`);
  } catch {
    // a page inside another one has no address of its own
  }
}

/** Whether the address is that of a presentation. */
const isShow = () => /^#(step=\d+&)?present$/.test(location.hash);

/** Return the step that the address names. */
function addressed() {
  const found = /^#step=(\d+)(&present)?$/.exec(location.hash);
  return found ? Number(found[1]) : 0;
}

// ---- Predict first

/** Answer a prediction. */
function check(event) {
  event.preventDefault();
  const question = questions[step];
  const numbers = typed(input.value);
  const count = question.answer.length;
  const wanted = count > 1 ? `${count} numbers are asked for, entry by entry.` : "1 number is asked for.";
  if (!numbers) return judge(false, "Type a number, such as 0.5 or -1/3; several have commas between them.");
  if (numbers.length !== count) return judge(false, wanted);
  if (isSame(numbers, question.answer)) return reveal(true);
  const mistake = question.wrong.find(([value]) => isSame(numbers, value));
  const rounded = numbers.map(({ value, half }) => ({ value, slack: half }));
  if (!mistake && isSame(rounded, question.answer)) return judge(false, "Right as far as it goes: type three digits.");
  const unknown = question.searched ? "" : " On a page of so many steps the mistake behind a number is not looked for here.";
  return judge(false, `${input.value.trim()} is not right${mistake ? `: ${mistake[1]}` : `. ${question.hint}${unknown}`}`);
}

function judge(isRight, text) {
  verdict.textContent = text;
  verdict.dataset.right = isRight;
}

/** Show the step after its question; the buttons go on from here. */
function reveal(isRight) {
  answered.add(step);
  go(step);
  judge(isRight, isRight ? "Right." : "Here it is.");
  one('[data-action="next"]').focus({ preventScroll: true });
}

// ---- Play

function play() {
  if (step === last) go(0);
  timer = setInterval(() => {
    go(step + 1);
    if (step === last || main.hasAttribute("data-asking")) pause();
  }, 1800);
  played(true);
}

function pause() {
  clearInterval(timer);
  timer = 0;
  played(false);
}

function played(isOn) {
  const button = one('[data-action="play"]');
  button.setAttribute("aria-label", isOn ? "Pause" : "Play");
  button.toggleAttribute("data-playing", isOn);
}

// ---- Buttons, slider, keys

const ACTIONS = {
  first: () => go(0),
  previous: () => go(step - 1),
  next: () => (isPresenting && main.hasAttribute("data-asking") ? reveal(false) : go(step + 1)),
  last: () => go(last),
  play: () => (timer ? pause() : play()),
  reveal: () => reveal(false),
  "zoom-in": () => zoomed(1.3),
  "zoom-out": () => zoomed(1 / 1.3),
  fit: () => zoomed(0),
  present: () => present(!isPresenting),
  predict: () => {
    isPredicting = !isPredicting;
    answered.clear();
    main.toggleAttribute("data-predicting", isPredicting);
    one('[data-action="predict"]').setAttribute("aria-pressed", isPredicting);
    go(step);
  },
};

const KEYS = {
  ArrowRight: "next", ArrowLeft: "previous", PageDown: "next", PageUp: "previous", Home: "first", End: "last", " ": "play",
  p: "present", "+": "zoom-in", "-": "zoom-out", 0: "fit",
}; // prettier-ignore

function act(action) {
  if (action !== "play" && timer) pause();
  ACTIONS[action]();
}

main.addEventListener("click", (event) => {
  const folded = event.target.closest(".product")?.closest('[data-fit~="corners"]');
  if (folded) return (folded.dataset.fit = "small dense"); // whole tables, for which one scrolls
  const button = event.target.closest("button[data-action]");
  if (button) act(button.dataset.action);
  else if (isPresenting && !event.target.closest("input, label, a, button")) act("next");
});

slider.addEventListener("input", () => {
  if (timer) pause();
  go(Number(slider.value));
});

document.addEventListener("keydown", (event) => {
  const action = KEYS[event.key];
  const place = event.target.closest?.("input, textarea, select, button, summary, a, .graph, .scroll") ?? null;
  if (!action || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.shiftKey && event.key !== "+") return;
  const isFree = !place || place.matches("a") || (place.matches("button") && event.key !== " ");
  if (!isFree && !(place === input && event.key === "p")) return; // it has keys of its own
  event.preventDefault();
  act(action);
});

form.addEventListener("submit", check);
addEventListener("hashchange", () => {
  const isShown = isShow(); // before the step is written into the address
  if (addressed() !== step) go(addressed());
  if (isShown && !isPresenting) present(true);
});

// ---- Presenting: full screen, a click goes on, and the numbers travel along the arrows

function present(isOn) {
  isPresenting = isOn;
  main.toggleAttribute("data-presenting", isOn);
  one('[data-action="present"]').setAttribute("aria-pressed", isOn);
  if (isOn) input.blur();
  if (isOn) document.documentElement.requestFullscreen?.().catch(() => {}); // where the browser lets a page
  else if (document.fullscreenElement) document.exitFullscreen();
  remember();
}

document.addEventListener("fullscreenchange", () => !document.fullscreenElement && isPresenting && present(false));

/** Let the number of the step travel along its arrow. */
function travel(active) {
  const edges = active.filter((element) => element.dataset.ends && element.dataset.state === "active");
  if (calm.matches || !edges.length) return;
  const isBack = articles[step].dataset.phase === "backward";
  for (const edge of edges) {
    const copy = cameras.map(({ closeUp }) => closeUp?.querySelector(`[data-copy-of="${CSS.escape(edge.dataset.edge)}"]`)).find(Boolean);
    const line = (copy ?? edge).querySelector("path");
    const source = edge.parentNode.querySelector(`[data-node="${CSS.escape(JSON.parse(edge.dataset.ends)[0])}"] .value`);
    const text = isBack ? articles[step].querySelector(".product .answer:last-child .number:not(:has(table))")?.textContent : source?.textContent;
    if (!text || text.length > 16) continue;
    const mover = drawn("text", { class: isBack ? "mover gradient" : "mover" }, text);
    (copy ?? edge).parentNode.append(mover);
    movers.push(mover);
    const start = performance.now();
    let length;
    const frame = (now) => {
      length ??= line.getTotalLength(); // not sooner: it waits for the layout
      const share = Math.min(Math.max((now - start) / 800, 0), 1);
      const { x, y } = line.getPointAtLength(length * (isBack ? 1 - share : share));
      mover.setAttribute("transform", `translate(${x} ${y + 18})`); // labels stand above the arrow
      if (share < 1 && mover.isConnected && edge.dataset.state === "active") requestAnimationFrame(frame);
      else mover.remove();
    };
    requestAnimationFrame(frame);
  }
}

// ---- The graph: what is under the pointer or has the focus tells its rule, and arrow keys walk along edges

function tell(element) {
  if (!element) return;
  about.removeAttribute("data-hint");
  about.textContent = [element.getAttribute("aria-label"), element.dataset.rule].filter(Boolean).join(". ");
}

/** Return the next place from one in its picture: along an edge, or beside it. */
function beside(place, key) {
  const places = [...place.ownerSVGElement.querySelectorAll("[data-node], [data-edge]")];
  const edges = places.filter((one) => one.dataset.edge !== undefined);
  const [from, to] = place.dataset.ends ? JSON.parse(place.dataset.ends) : [];
  const node = (id) => places.find((one) => one.dataset.node === id);
  if (from !== undefined) {
    if (key === "ArrowRight") return node(to);
    if (key === "ArrowLeft") return node(from);
    const near = edges.filter((one) => JSON.parse(one.dataset.ends)[1] === to);
    return near[(near.indexOf(place) + (key === "ArrowDown" ? 1 : near.length - 1)) % near.length];
  }
  const end = key === "ArrowRight" ? 0 : 1;
  if (key === "ArrowRight" || key === "ArrowLeft")
    return edges.find((one) => JSON.parse(one.dataset.ends)[end] === place.dataset.node);
  const nodes = places.filter((one) => one.dataset.node !== undefined);
  return nodes[nodes.indexOf(place) + (key === "ArrowDown" ? 1 : -1)];
}

view.addEventListener("keydown", (event) => {
  const place = event.target.closest("[data-node], [data-edge]");
  if (!place || !event.key.startsWith("Arrow")) return;
  const next = beside(place, event.key);
  event.preventDefault();
  if (!next) return;
  place.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
});
view.addEventListener("focusin", (event) => {
  const place = event.target.closest("[data-node], [data-edge]");
  tell(place);
  const camera = place?.matches(":focus-visible") && cameras.find(({ graph }) => graph.contains(place));
  if (camera) look(camera, [nodeOf(camera.graph, place.dataset.node ?? JSON.parse(place.dataset.ends)[0])]);
});
view.addEventListener("pointerover", (event) => tell(event.target.closest("[data-node], [data-edge]")));

// ---- Products of matrices and convolutions: an entry lights what it is made of, and the page writes its sum

const place = (cell) => cell.dataset.entry.split(",").map(Number);
const number = (cell) => cell.textContent.trim();
const read = (cell) => Number(number(cell).replace("−", "-"));
const brackets = (text) => (text.startsWith("−") ? `(${text})` : text);

/** Return the factors of an entry of a product: its row and its column, one by one. */
function multiplied(product, entry) {
  const [row, column] = place(entry);
  const [left, right] = [...product.querySelectorAll("table[data-matrix]")].map((table) => [...table.querySelectorAll("[data-entry]")]);
  const down = right.filter((one) => place(one)[1] === column);
  return left.filter((one) => place(one)[0] === row).map((one, at) => [one, down[at]]);
}

/** Return the factors of an entry of a convolution, wherever it stands: those that its window lays on each other. */
function convolved(product, entry) {
  const axes = product.dataset.window.split(";").map((axis) => axis.split(",").map(Number));
  const role = entry.closest("[data-role]").dataset.role;
  const cells = (name) => [...product.querySelectorAll(`[data-role="${name}"] [data-entry]`)];
  const inputs = new Map(cells("input").map((cell) => [cell.dataset.entry, cell]));
  return cells("out").flatMap((out) => cells("kernel").flatMap((kernel) => {
    const at = axes.map(([stride, dilation, padding], axis) => place(out)[axis] * stride + place(kernel)[axis] * dilation - padding);
    const three = { out, kernel, input: inputs.get(at.join()) };
    return three.input && three[role] === entry ? [Object.keys(three).filter((one) => one !== role).map((one) => three[one])] : [];
  }));
}

main.addEventListener("pointerover", ({ target }) => {
  for (const lit of all("[data-lit]")) lit.removeAttribute("data-lit");
  const entry = target.closest("[data-product] .answer [data-entry], [data-window] [data-entry]");
  if (!entry) return;
  const product = entry.closest("[data-product], [data-window]");
  const factors = product.dataset.window ? convolved(product, entry) : multiplied(product, entry);
  for (const one of [...factors.flat(), entry]) one.setAttribute("data-lit", "");
  if (!entry.closest(".answer")) return;
  const terms = factors.map((pair) => pair.map((one) => brackets(number(one))).join("·"));
  const sum = factors.reduce((found, [one, other]) => found + read(one) * read(other), 0);
  const sign = Math.abs(sum - read(entry)) < 1e-9 ? "=" : "≈"; // the numbers shown are rounded
  const [row, column] = place(entry).map((at) => at + 1);
  about.removeAttribute("data-hint");
  about.textContent = `${product.dataset.window ? `row ${row}, column ${column}` : `row ${row} times column ${column}`}: ${terms.join(" + ") || "0"} ${sign} ${number(entry)}`;
});

// ---- Begin

addEventListener("beforeprint", () => {
  draw(last + 1, false); // the last step is over, and nothing is active
  for (const details of all("details")) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of all("details")) details.open = false;
  go(step);
});
for (const part of all(".controls, .panel, .about, .zoom")) part.hidden = false;
for (const graph of all(".graph")) graph.querySelector("[data-node]")?.setAttribute("tabindex", "0");
for (const way of all("[data-share]")) way.style.flexGrow = way.dataset.share;
for (const article of articles) article.removeAttribute("id"); // the address is the player's now, and scrolls nothing
const isShown = isShow();
go(addressed());
if (isShown) present(true);
