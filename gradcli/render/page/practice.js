// The exercises of a page: one quantity after another, hints, the mistake behind a wrong answer, and a score.
// Nothing leaves the page: the answers stand in it.

const main = document.querySelector('main[data-gradcli="practice"]');
const one = (selector) => main.querySelector(selector);
const { sheets } = JSON.parse(document.getElementById("gradcli-practice").textContent);

const form = one(".predict");
const input = one("[data-answer]");
const verdict = one("[data-verdict]");
const list = one("[data-hints]");
const action = (name) => one(`[data-action="${name}"]`);

let waiting = []; // sheet and place of the exercises to come
let sheet = 0;
let now = null;
let score = { points: 0, asked: 0 };
let hinted = 0;
let wasWrong = false;

/** Take another set of values. */
function begin() {
  sheet = Math.floor(Math.random() * sheets.length);
  waiting = sheets[sheet].map((_, place) => [sheet, place]);
  score = { points: 0, asked: 0 };
  ask();
}

/** Ask for the next quantity. */
function ask() {
  const next = waiting.shift();
  [hinted, wasWrong] = [0, false];
  list.replaceChildren();
  judge(undefined, "");
  if (!next) return finish();
  now = { ...sheets[next[0]][next[1]], place: next };
  one("[data-question]").textContent = now.text;
  one("[data-program]").textContent = now.program;
  one("[data-quantity]").textContent = now.quantity;
  one("[data-count]").textContent = `${waiting.length + 1} to go${score.asked ? `, ${score.points} of ${score.asked} points` : ""}`;
  input.value = "";
  input.placeholder = now.answer.length > 1 ? `${now.answer.length} numbers, row by row` : "a number";
  over(false);
  input.focus({ preventScroll: true });
}

/** Tell the score, and offer other values. */
function finish() {
  now = null;
  one("[data-question]").textContent = `Done: ${score.points} of ${score.asked} points.`;
  for (const name of ["program", "quantity", "count"]) one(`[data-${name}]`).textContent = "";
  over(true);
  action("next").textContent = "Again, with other values";
}

/** Show what can be done while an exercise is open, or when it is over. */
function over(isOver) {
  for (const part of [form.querySelector("label"), form.querySelector("[type=submit]"), action("hint"), action("reveal")])
    part.hidden = isOver && (now === null || part.tagName === "BUTTON");
  input.readOnly = isOver;
  action("next").hidden = !isOver;
  action("next").textContent = "Next";
  main.dataset.score = score.points;
}

function judge(isRight, text) {
  verdict.textContent = text;
  if (isRight === undefined) verdict.removeAttribute("data-right");
  else verdict.dataset.right = isRight;
}

function tell(text) {
  const item = document.createElement("li");
  item.textContent = text;
  list.append(item);
}

/** End an exercise with its derivation; what was missed comes again with other values. */
function end(points, text) {
  score.points += points;
  score.asked += 1;
  if (points < 1) waiting.push([(now.place[0] + 1) % sheets.length, now.place[1]]);
  if (waiting.length > 40) waiting.length = 40;
  judge(points > 0 ? true : undefined, points < 1 ? `${text} It comes again, with other values.` : text);
  tell(now.derivation);
  over(true);
  action("next").focus({ preventScroll: true });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!now || input.readOnly) return;
  const numbers = typed(input.value);
  if (!numbers) return judge(false, "Type a number, such as 0.5 or -1/3; several have commas between them.");
  if (numbers.length !== now.answer.length) return judge(false, `${now.answer.length} numbers are asked for, row by row.`);
  if (isSame(numbers, now.answer)) return end(wasWrong || hinted ? 0.5 : 1, "Right.");
  const rounded = numbers.map(({ value, half }) => ({ value, slack: half }));
  const mistake = now.wrong.find(([value]) => isSame(numbers, value));
  if (!mistake && isSame(rounded, now.answer)) return judge(false, "Right as far as it goes: type three digits.");
  wasWrong = true;
  judge(false, `${input.value.trim()} is not right${mistake ? `: ${mistake[1]}` : "."}`);
  if (!mistake && !hinted && now.hints.length) tell(now.hints[hinted++]);
});

action("hint").addEventListener("click", () => {
  if (hinted < now.hints.length) tell(now.hints[hinted++]);
  else end(0, "Here it is.");
});
action("reveal").addEventListener("click", () => end(0, "Here it is."));
action("next").addEventListener("click", () => (now || waiting.length ? ask() : begin()));

one(".practice").hidden = false;
one(".paper").hidden = true;
begin();
