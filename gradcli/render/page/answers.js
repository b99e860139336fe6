// Reads the numbers that somebody typed, and compares them with others.

/** Return the number behind a name: JSON has no infinity. */
function named(text) {
  const name = String(text).toLowerCase();
  return name.includes("nan") ? NaN : name.startsWith("-") ? -Infinity : Infinity;
}

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

/** Whether the numbers typed are these: to six digits, or to the digits typed, if they are three. */
function isSame(numbers, others) {
  return numbers.every(({ value, slack }, place) => {
    const other = typeof others[place] === "string" ? named(others[place]) : others[place];
    if (!Number.isFinite(other)) return Object.is(value, other);
    return Math.abs(value - other) <= Math.max(slack, 1e-6 * Math.abs(other), 1e-9);
  });
}

