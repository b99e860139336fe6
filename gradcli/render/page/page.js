// The player of a step page. Everything is worked out before the page is written: an element has the number of a track,
// and a track says what is shown from which step on. The player knows the current step, and no mathematics.

/** @typedef {{ask: string, answer: number[], wrong: [number[], string][], searched: boolean, hint: string}} Question */

const main = document.querySelector('main[data-gradcli="lesson"]');
const one = (selector) => main.querySelector(selector);
const all = (selector) => [...main.querySelectorAll(selector)];

const { tracks, questions } = JSON.parse(document.getElementById("gradcli-steps").textContent);
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
const parts = all(".controls, .view, .panel"); // they look different forward and backward

let step = 0;
let isPredicting = false;
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

/** How an element takes what its track shows, by the attribute that has the number of the track. */
const WAYS = {
  look: (element, shown) => element.setAttribute("data-state", shown),
  text: (element, shown) => (element.textContent = shown),
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

/** Show every element as of a step, and return those that became active; only what differs is touched. */
function draw(number, isAsking) {
  const active = [];
  for (const player of players) {
    const shown = at(player.track, player.isLate && isAsking ? number - 1 : number);
    if (shown === player.shown) continue;
    player.shown = shown;
    player.show(player.element, shown);
    if (shown === "active") active.push(player.element);
  }
  return active;
}

/** Go to a step. */
function go(number) {
  articles[step].removeAttribute("data-now");
  step = Math.min(Math.max(Math.round(number) || 0, 0), last);
  const article = articles[step];
  const question = isPredicting && !answered.has(step) ? questions[step] : undefined;
  const active = draw(step, question !== undefined);
  article.setAttribute("data-now", "");
  main.dataset.step = step;
  for (const part of parts) part.dataset.phase = article.dataset.phase;
  main.toggleAttribute("data-asking", question !== undefined);
  sentence.textContent = question ? question.ask : article.querySelector(".says").textContent;
  one("[data-phase-name]").textContent = `Step ${step}: ${article.querySelector(".phase").textContent}`;
  verdict.textContent = "";
  verdict.removeAttribute("data-right");
  form.hidden = question === undefined;
  if (question) {
    input.value = "";
    input.placeholder = question.answer.length > 1 ? `${question.answer.length} numbers` : "a number";
    input.focus({ preventScroll: true });
  }
  slider.value = step;
  slider.setAttribute("aria-valuetext", `Step ${step} of ${last}`);
  one("[data-count]").textContent = `${step} of ${last}`;
  for (const [action, end] of Object.entries({ first: 0, previous: 0, next: last, last }))
    one(`[data-action="${action}"]`).setAttribute("aria-disabled", step === end);
  follow(active.sort((a, b) => ("edge" in a.dataset) - ("edge" in b.dataset)));
  remember();
}

/** Keep the active parts of a long picture, table or text in sight: all of them if there is room, else the first. */
function follow(elements) {
  const moves = [];
  for (const box of new Set(elements.map((element) => element.closest(".stage, .scroll, .code")).filter(Boolean))) {
    const outer = box.getBoundingClientRect();
    const inside = elements.filter((element) => box.contains(element)).flatMap(withEnds);
    const parts = inside.map((element) => element.getBoundingClientRect());
    const [left, top] = [["left", "right"], ["top", "bottom"]].map(([start, end]) => {
      const all = [Math.min(...parts.map((part) => part[start])), Math.max(...parts.map((part) => part[end]))];
      const room = outer[end] - outer[start];
      const fits = all[1] - all[0] < room - 2 * EDGE;
      return over(...(fits ? all : [parts[0][start], parts[0][end]]), outer[start], outer[end]);
    });
    const isFar = Math.abs(left) > box.clientWidth || Math.abs(top) > box.clientHeight;
    if (left || top) moves.push([box, { left, top, behavior: isFar || calm.matches ? "auto" : "smooth" }]);
  }
  for (const [box, by] of moves) box.scrollBy(by);
}

/** Return an element; an edge together with its ends. */
function withEnds(element) {
  const { ends } = element.dataset;
  if (!ends) return [element];
  const nodes = JSON.parse(ends).map((id) => element.parentNode.querySelector(`[data-node="${CSS.escape(id)}"]`));
  return [...nodes.filter(Boolean), element];
}

const EDGE = 24; // pixels around what is in sight

/** Return how far to scroll so that what lies between `low` and `high` is seen between `start` and `end`. */
function over(low, high, start, end) {
  if (high - low > end - start) return 0;
  return low < start ? low - start - EDGE : high > end ? high - end + EDGE : 0;
}

// ---- The address

/** Write the step into the address, where a page may. */
function remember() {
  try {
    history.replaceState(null, "", `#step=${step}`);
  } catch {
    // a page inside another one has no address of its own
  }
}

/** Return the step that the address names. */
function addressed() {
  const found = /^#step=(\d+)$/.exec(location.hash);
  return found ? Number(found[1]) : 0;
}

// ---- Predict first

/** Return the numbers that were typed, each with half a unit of its last digit, and by how much of it it may be off. */
function typed(text) {
  const parts = text.replace(/[−–]/g, "-").split(/[\s,;[\]()]+/).filter(Boolean);
  const numbers = parts.map((part) => {
    const found = /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d{1,3}))?(?:\/(\d+(?:\.\d+)?))?$/i.exec(part);
    if (/^[-+]?inf(inity)?$|^nan$/i.test(part)) return { value: named(part), half: 0, slack: 0 };
    if (!found || !(found[2] || found[3])) return null;
    const value = Number(part.split("/")[0]) / Number(found[5] ?? 1);
    const digits = `${found[2]}${found[3] ?? ""}`.replace(/^0+/, "").length;
    const unit = 10 ** (Number(found[4] ?? 0) - (found[3] ?? "").length);
    const half = found[5] ? 0 : (unit / 2) * 1.000001;
    return { value, half, slack: digits < 3 ? 0 : half };
  });
  return numbers.length && numbers.every(Boolean) ? numbers : null;
}

/** Return the number behind a name: JSON has no infinity. */
function named(text) {
  const name = String(text).toLowerCase();
  return name.includes("nan") ? NaN : name.startsWith("-") ? -Infinity : Infinity;
}

/** Whether the numbers typed are these: to six digits, or to the digits typed, if they are three. */
function isSame(numbers, others) {
  return numbers.every(({ value, slack }, place) => {
    const other = typeof others[place] === "string" ? named(others[place]) : others[place];
    if (!Number.isFinite(other)) return Object.is(value, other);
    return Math.abs(value - other) <= Math.max(slack, 1e-6 * Math.abs(other), 1e-9);
  });
}

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
  next: () => go(step + 1),
  last: () => go(last),
  play: () => (timer ? pause() : play()),
  reveal: () => reveal(false),
  predict: () => {
    isPredicting = !isPredicting;
    answered.clear();
    main.toggleAttribute("data-predicting", isPredicting);
    one('[data-action="predict"]').setAttribute("aria-pressed", isPredicting);
    go(step);
  },
};

const KEYS = { ArrowRight: "next", ArrowLeft: "previous", Home: "first", End: "last", " ": "play" };

function act(action) {
  if (action !== "play" && timer) pause();
  ACTIONS[action]();
}

main.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-action]");
  if (button) act(button.dataset.action);
});

slider.addEventListener("input", () => {
  if (timer) pause();
  go(Number(slider.value));
});

document.addEventListener("keydown", (event) => {
  const action = KEYS[event.key];
  const place = event.target.closest?.("input, textarea, select, button, summary, a, .graph, .scroll") ?? null;
  if (!action || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const isFree = !place || place.matches("a") || (place.matches("button") && event.key !== " ");
  if (!isFree) return; // it has keys of its own
  event.preventDefault();
  act(action);
});

form.addEventListener("submit", check);
addEventListener("hashchange", () => addressed() !== step && go(addressed()));

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
view.addEventListener("focusin", (event) => tell(event.target.closest("[data-node], [data-edge]")));
view.addEventListener("pointerover", (event) => tell(event.target.closest("[data-node], [data-edge]")));

// ---- Begin

addEventListener("beforeprint", () => {
  draw(last + 1, false); // the last step is over, and nothing is active
  for (const details of all("details")) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of all("details")) details.open = false;
  go(step);
});
for (const part of all(".controls, .panel, .about")) part.hidden = false;
for (const graph of all(".graph")) graph.querySelector("[data-node]")?.setAttribute("tabindex", "0");
for (const way of all("[data-share]")) way.style.flexGrow = way.dataset.share;
for (const article of articles) article.removeAttribute("id"); // the address is the player's now, and scrolls nothing
go(addressed());
