// -- drawing ---------------------------------------------------------------------------------------------------------

function element(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawing(place, title) {
  const width = Math.max(280, place.clientWidth), height = 260;
  const svg = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title});
  place.replaceChildren(svg);
  return {svg, width, height, left: 66, right: width - 12, top: 14, bottom: height - 40};
}

function axisLines(plot, xTicks, yTicks, xName) {
  for (const [at, text] of yTicks) {
    plot.svg.append(element("line", {x1: plot.left, x2: plot.right, y1: at, y2: at, class: "grid"}));
    plot.svg.append(element("text", {x: plot.left - 6, y: at + 4, "text-anchor": "end"}, text));
  }
  let last = Infinity;  // from the right, so that the longest is always named
  for (const [at, text] of [...xTicks].reverse()) {
    plot.svg.append(element("line", {x1: at, x2: at, y1: plot.bottom, y2: plot.bottom + 4, class: "tick"}));
    if (last - at < 34) continue;
    plot.svg.append(element("text", {x: at, y: plot.bottom + 18, "text-anchor": "middle"}, text));
    last = at;
  }
  plot.svg.append(element("line", {x1: plot.left, x2: plot.right, y1: plot.bottom, y2: plot.bottom, class: "tick"}));
  const middle = (plot.left + plot.right) / 2;
  plot.svg.append(element("text", {x: middle, y: plot.height - 4, "text-anchor": "middle"}, xName));
}

function path(points) {
  return points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// Powers of a thousand and 2^10 alike read as bytes: 1 KiB, 32 KiB, 1 MiB …
function byteTicks(low, high) {
  const found = [];
  for (let power = 5 * Math.floor(Math.log2(low) / 5); power <= 5 * Math.ceil(Math.log2(high) / 5); power += 5)
    found.push(Math.pow(2, power));
  return found.length > 1 ? found : [found[0], found[0] * 32];
}

function drawFrontier(place, state, rows) {
  const you = rows.find(row => row.interval === state.interval);
  const said = you ? ` You are at ${lattice.interval.names[you.interval]}: ${bytesText(you.here)} a day.` : "";
  const plot = drawing(place, `Metadata written a day by commit interval.${said}`);
  if (!rows.length) return;
  const all = rows.flatMap(row => [row.here, row.least]);
  const ticks = byteTicks(Math.max(1, Math.min(...all)), Math.max(1, ...all));
  const [x0, x1] = [rows[0].seconds, rows[rows.length - 1].seconds].map(Math.log);
  const [y0, y1] = [ticks[0], ticks[ticks.length - 1]].map(Math.log);
  const x = value => plot.left + 12 + (plot.right - plot.left - 24) * (x1 > x0 ? (Math.log(value) - x0) / (x1 - x0) : 0.5);
  const y = value => plot.bottom - (plot.bottom - plot.top) * (Math.log(Math.max(1, value)) - y0) / (y1 - y0);
  const step = Math.ceil(ticks.length / 7);
  axisLines(plot, rows.map(row => [x(row.seconds), lattice.interval.names[row.interval]]),
    ticks.filter((_, at) => at % step === 0).map(value => [y(value), bytesText(value).replace(".00", "").replace(".0", "")]),
    "commit interval");
  plot.svg.append(element("path", {d: path(rows.map(row => [x(row.seconds), y(row.least)])), class: "least"}));
  plot.svg.append(element("path", {d: path(rows.map(row => [x(row.seconds), y(row.here)])), class: "here"}));
  for (const row of rows)
    plot.svg.append(element("circle", {cx: x(row.seconds), cy: y(row.here), r: 3.5, class: row.able ? "able" : "unable"}));
  if (!you) return;
  plot.svg.append(element("circle", {cx: x(you.seconds), cy: y(you.here), r: 8, class: "you"}));
  // the curve falls: above it to the right there is room, or below it to the left
  const isRight = x(you.seconds) + 90 > plot.right, beside = y(you.here) + (isRight ? 34 : -10);
  plot.svg.append(element("text", {x: x(you.seconds) + (isRight ? -4 : 10), y: Math.min(beside, plot.bottom - 4),
    "text-anchor": isRight ? "end" : "start", class: "label"}, "you are here"));
}

function drawKinds(place, state, rows) {
  const last = rows[rows.length - 1], total = last.kinds.reduce((a, b) => a + b, 0);
  const plot = drawing(place, `Metadata written by kind over ${lattice.horizon.names[state.horizon]}: ` +
    lattice.kinds.map((kind, at) => `${kind.name} ${bytesText(last.kinds[at])}`).join(", "));
  if (!(total > 0)) return;
  const x = days => plot.left + (plot.right - plot.left) * days / last.days;
  const y = size => plot.bottom - (plot.bottom - plot.top) * size / total;
  const base = rows.map(() => 0);
  lattice.kinds.forEach((kind, number) => {
    const low = rows.map((row, at) => [x(row.days), y(base[at])]);
    rows.forEach((row, at) => { base[at] += row.kinds[number]; });
    const high = rows.map((row, at) => [x(row.days), y(base[at])]);
    const outline = `${path(high)}${path(low.reverse()).replace("M", "L")}Z`;
    plot.svg.append(element("path", {d: outline, class: "area", style: `fill: var(--${kind.colour})`}));
  });
  axisLines(plot, rows.map(row => [x(row.days), row.days ? lattice.horizon.names[row.horizon] : "0"]),
    [0, 0.25, 0.5, 0.75, 1].map(share => [y(total * share), share ? bytesText(total * share) : "0"]), "since CREATE TABLE");
}
