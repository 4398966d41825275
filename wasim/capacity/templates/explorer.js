// The sliders of a plan. Every figure is looked up in a lattice that wasim simulated; nothing is simulated here.
"use strict";
(() => {
const root = document.getElementById("explorer");
const lattice = JSON.parse(document.getElementById("lattice").textContent);
const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0)).buffer;
const values = new Float64Array(bytesOf(lattice.values));
const ratios = lattice.scales.map(scale => new Float32Array(bytesOf(scale.ratios)));
const fieldAt = Object.fromEntries(lattice.fields.map((name, place) => [name, place]));
const controls = [...root.querySelectorAll("input[data-axis]")];
const part = name => root.querySelector(`[data-part="${name}"]`);

// -- figures ---------------------------------------------------------------------------------------------------------

function flat(shape, places) {
  return places.reduce((sum, place, axis) => sum * shape[axis] + place, 0);
}

function expiryOf(state) {
  return lattice.expiry[state.expire][state.keep];
}

function upkeepOf(state) {
  return [state.rewrite, state.compact, expiryOf(state), state.oldjson, state.gzip];
}

// The ends that a point of a dense axis lies between, each with its weight.
function ends([low, high, share]) {
  return share ? [[low, 1 - share], [high, share]] : [[low, 1]];
}

// The logarithm of how much a moved scale changes a figure: linear between what was simulated.
function logRatio(number, state, field) {
  const scale = lattice.scales[number], near = lattice.sparse;
  let sum = 0;
  for (const [row, ofScale] of scale.weights[state[scale.key]])
    for (const [interval, ofInterval] of ends(near.interval[state.interval]))
      for (const [horizon, ofHorizon] of ends(near.horizon[state.horizon])) {
        const places = [row, interval, state.rewrite, near.expiry[expiryOf(state)], horizon, field];
        sum += ofScale * ofInterval * ofHorizon * ratios[number][flat(scale.shape, places)];
      }
  return sum;
}

function figure(name, state) {
  const field = fieldAt[name];
  const places = [state.interval, ...upkeepOf(state), state.horizon, field];
  const value = values[flat(lattice.shape, places)];
  const moved = lattice.scales.reduce((sum, scale, number) =>
    state[scale.key] === scale.at ? sum : sum + logRatio(number, state, field), 0);
  return moved ? value * Math.exp(moved) : value;
}

function isMoved(state) {
  return lattice.scales.some(scale => state[scale.key] !== scale.at);
}

// Days until a figure passes a value, linear in the logarithm between horizons; infinite if not within the chosen one.
function dayOfPassing(name, bound, state) {
  let before = null;
  for (let horizon = 0; horizon <= state.horizon; horizon++) {
    const value = figure(name, {...state, horizon}), days = lattice.horizon.values[horizon] / 86400;
    if (!Number.isFinite(value)) continue;
    if (value > bound) {
      if (!before || before.value <= 0) return days * Math.min(1, bound / value);
      const share = Math.log(bound / before.value) / Math.log(value / before.value);
      return before.days * Math.pow(days / before.days, share);
    }
    before = {value, days};
  }
  return Infinity;
}

function daysUntil(mark, state) {
  return isMoved(state) ? dayOfPassing(mark.by, mark.bound, state) : figure(mark.field, state);
}

function keepsUp(state) {
  return !(figure("stops_days", state) <= lattice.horizon.values[state.horizon] / 86400);
}

function holds(limit, value) {
  return limit.comparison === "<" ? value < limit.bound : value <= limit.bound;
}

// At each interval: metadata a day with this maintenance, and the least that any maintenance here comes to.
function frontierRows(state) {
  return lattice.interval.values.map((seconds, interval) => {
    const at = {...state, interval};
    let least = Infinity;
    for (let rewrite = 0; rewrite < lattice.rewrite.names.length; rewrite++)
      for (let compact = 0; compact < lattice.compact.names.length; compact++)
        for (let gzip = 0; gzip < lattice.gzip.names.length; gzip++)
          for (let expire = 0; expire < lattice.expire.names.length; expire++)
            for (let keep = 0; keep < (expire ? lattice.keep.names.length : 1); keep++)
              least = Math.min(least, figure("metadata_bytes_per_day", {...at, rewrite, compact, gzip, expire, keep}) || Infinity);
    return {interval, seconds, able: keepsUp(at), here: figure("metadata_bytes_per_day", at), least};
  }).filter(row => Number.isFinite(row.here) && Number.isFinite(row.least));
}

function kindRows(state) {
  const rows = [{days: 0, kinds: lattice.kinds.map(() => 0)}];
  for (let horizon = 0; horizon <= state.horizon; horizon++) {
    const kinds = lattice.kinds.map(kind => figure(kind.field, {...state, horizon}));
    if (kinds.every(Number.isFinite)) rows.push({days: lattice.horizon.values[horizon] / 86400, kinds, horizon});
  }
  return rows;
}

// -- words -----------------------------------------------------------------------------------------------------------

const grouped = (value, digits) =>
  value.toLocaleString("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits});

// Decimals with which a value has three figures; 9.996 is 10.0.
const decimals = value => Math.max(0, 2 - Math.floor(Math.log10(Number(Math.abs(value).toPrecision(3)))));

function bytesText(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let size = count, unit = 0;
  while (size >= 1000 && unit < units.length - 1) { size /= 1024; unit++; }
  const digits = unit ? decimals(Math.max(size, 1)) : 0;
  return `${size.toFixed(digits)} ${units[unit]}`;
}

function figureText(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "–";
  if (value === 0) return "0";
  return Math.abs(value) >= 1e-6 ? grouped(value, decimals(value)) : value.toExponential(2);
}

function durationText(seconds) {
  const parts = [];
  let rest = seconds;
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["m", 60]]) {
    if (rest >= length) parts.push(`${Math.floor(rest / length)}${unit}`);
    rest %= length;
  }
  return parts.join("") + (rest ? `${rest}s` : "");
}

function timeText(seconds) {
  if (seconds < 60) return `${figureText(seconds)}s`;
  return durationText(seconds < 600 ? Math.round(seconds) : Math.round(seconds / 60) * 60);
}

function valueText(name, value) {
  if (Number.isNaN(value)) return "–";
  if (name.includes("bytes") || name.startsWith("written")) return bytesText(value);
  if (["manifests", "snapshots", "files", "delete_files"].includes(name)) return grouped(value, 0);
  if (name === "monthly_cost" && value > 0 && value < 0.01) return `<0.01 ${lattice.currency}`;
  if (name === "monthly_cost") return `${grouped(value, value < 1000 ? 2 : 0)} ${lattice.currency}`;
  if (name.endsWith("_ms")) return value < 1000 ? `${figureText(value)} ms` : timeText(value / 1000);
  return Number.isInteger(value) ? grouped(value, 0) : figureText(value);
}

function dayText(days, state) {
  return days <= lattice.horizon.values[state.horizon] / 86400
    ? `day ${grouped(Math.max(1, Math.ceil(days)), 0)}` : `not in ${lattice.horizon.names[state.horizon]}`;
}

function settingText(state) {
  const kept = [];
  if (state.expire) kept.push(`expire ${lattice.expire.names[state.expire]}, keep ${lattice.keep.names[state.keep]}`);
  if (state.rewrite) kept.push(`rewrite manifests ${lattice.rewrite.names[state.rewrite]}`);
  if (lattice.compact.names.length > 1 && lattice.compact.values[state.compact])
    kept.push(`compact ${lattice.compact.names[state.compact]}`);
  kept.push(...lattice.also);
  if (lattice.gzip.values[state.gzip]) kept.push("gzip");
  if (!state.oldjson) kept.push("old metadata.json kept");
  return `Commit every ${lattice.interval.names[state.interval]}, ${kept.join(", ") || "no maintenance"}`;
}

function limitText(state) {
  if (!lattice.limits.length) return "No limits on these figures were given.";
  const judged = lattice.limits.map(limit => {
    const value = figure(limit.field, state);
    return {limit, value, share: value / limit.bound, holds: holds(limit, value)};
  });
  const named = one => `${one.limit.name} (${valueText(one.limit.field, one.value)}, ${one.limit.text})`;
  const broken = judged.filter(one => !one.holds).map(one =>
    ({...one, days: dayOfPassing(one.limit.field, one.limit.bound, state)})).sort((a, b) => a.days - b.days);
  if (broken.length) {
    const first = broken[0], others = broken.slice(1).map(one => one.limit.name);
    const on = Number.isFinite(first.days) ? ` on ${dayText(first.days, state)}` : "";
    return `First breaks ${named(first)}${on}${others.length ? `; then ${others.join(", ")}` : ""}.`;
  }
  const nearest = judged.reduce((a, b) => (b.share > a.share ? b : a));
  return `${judged.length > 1 ? "All limits hold" : "The limit holds"}. Next to break: ${named(nearest)}.`;
}

// -- state -----------------------------------------------------------------------------------------------------------

const axes = Object.fromEntries(controls.map(control => [control.dataset.axis, control]));
const namesOf = key => (lattice[key] || lattice.scales.find(scale => scale.key === key)).names;
const start = {...lattice.start, ...Object.fromEntries(lattice.scales.map(scale => [scale.key, scale.at]))};

function readState() {
  const state = {...start};
  for (const control of controls)
    state[control.dataset.axis] = control.type === "checkbox" ? Number(control.checked) : Number(control.value);
  return state;
}

function show(state) {
  for (const control of controls) {
    const place = state[control.dataset.axis];
    if (control.type === "checkbox") control.checked = Boolean(place);
    else control.value = place;
  }
  update();
}

function link(state) {
  return "#" + controls.map(control => {
    const key = control.dataset.axis;
    return `${key}=${encodeURIComponent(namesOf(key)[state[key]])}`;
  }).join("&");
}

// The state that a link keeps; null if it is no such link. What it does not name stays as it starts.
function stateOf(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  if (!given.has("interval")) return null;
  const state = {...start};
  for (const [key, name] of given)
    if (axes[key] && namesOf(key).includes(name)) state[key] = namesOf(key).indexOf(name);
  return state;
}

// -- the page --------------------------------------------------------------------------------------------------------

let saying;

function showControls(state) {
  for (const control of controls) {
    if (control.type === "checkbox") continue;
    const name = namesOf(control.dataset.axis)[state[control.dataset.axis]];
    control.setAttribute("aria-valuetext", name);
    root.querySelector(`output[for="${control.id}"]`).textContent = name;
  }
  if (axes.keep) axes.keep.disabled = !state.expire;
}

function showFigures(state) {
  const isKnown = Number.isFinite(figure("metadata_bytes_per_day", state));
  part("setting").textContent = settingText(state);
  for (const cell of root.querySelectorAll("[data-metric]"))
    cell.textContent = valueText(cell.dataset.metric, figure(cell.dataset.metric, state));
  for (const cell of root.querySelectorAll("[data-mark]"))
    cell.textContent = isKnown ? dayText(daysUntil(lattice.marks[cell.dataset.mark], state), state) : "–";
  part("limits").textContent = isKnown ? limitText(state) : "Not simulated: no commit within the horizon, or too many merges.";
  part("limits").classList.toggle("bad", isKnown && lattice.limits.some(limit => !holds(limit, figure(limit.field, state))));
  part("keeps-up").hidden = !isKnown || keepsUp(state);
  part("estimated").hidden = !isMoved(state);
  const sql = lattice.sql[flat(lattice.shape.slice(1, 6), upkeepOf(state))];
  part("sql").textContent = [...sql, lattice.writer[state.interval]].join("\n\n");
  part("link").href = link(state);
}

function showPlots(state) {
  const frontier = frontierRows(state), kinds = kindRows(state);
  drawFrontier(part("frontier"), state, frontier);
  drawKinds(part("kinds"), state, kinds);
  fillTable(part("frontier-rows"), frontier.map(row =>
    [lattice.interval.names[row.interval], bytesText(row.here), bytesText(row.least), row.able ? "yes" : "no"]));
  fillTable(part("kind-rows"), kinds.slice(1).map(row => [lattice.horizon.names[row.horizon], ...row.kinds.map(bytesText)]));
}

function fillTable(body, rows) {
  body.replaceChildren(...rows.map(cells => {
    const row = document.createElement("tr");
    cells.forEach((text, place) => {
      const cell = document.createElement(place ? "td" : "th");
      if (place) cell.className = "figure"; else cell.scope = "row";
      cell.textContent = text;
      row.append(cell);
    });
    return row;
  }));
}

function update() {
  const state = readState();
  showControls(state);
  showFigures(state);
  showPlots(state);
  clearTimeout(saying);
  saying = setTimeout(() => {
    const day = valueText("metadata_bytes_per_day", figure("metadata_bytes_per_day", state));
    part("said").textContent = `${settingText(state)}: ${day} of metadata a day. ${part("limits").textContent}`;
  }, 700);
}

function copy(text, button) {
  const name = button.dataset.name || button.textContent;
  button.dataset.name = name;
  const done = () => {
    part("said").textContent = "Copied.";
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = name; }, 2000);
  };
  const byHand = () => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
    done();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand); else byHand();
}

for (const control of controls)
  control.addEventListener("input", () => {
    update();
    history.replaceState(null, "", link(readState()));
  });
part("copy").addEventListener("click", event => copy(part("sql").textContent, event.currentTarget));
part("copy-link").addEventListener("click", event => copy(part("link").href, event.currentTarget));
part("reset").addEventListener("click", () => {
  show(start);
  history.replaceState(null, "", link(start));
});
addEventListener("hashchange", () => { const state = stateOf(location.hash); if (state) show(state); });
addEventListener("resize", () => showPlots(readState()));
root.hidden = false;
show(stateOf(location.hash) || start);

{% include "plots.js" %}
})();
