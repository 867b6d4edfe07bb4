/* shell.js - elements, colours and numbers: what all parts of the page draw with. */

/* element("button", {class: "x", text: "y", onclick: f}, child...) */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  dress(node, attributes);
  node.append(...children);
  return node;
}
/* The same in SVG; the page has one, so that its namespace need not be written here. */
const svgNamespace = document.querySelector("svg").namespaceURI;
function drawn(name, attributes = {}, ...children) {
  const node = document.createElementNS(svgNamespace, name);
  dress(node, attributes);
  node.append(...children);
  return node;
}
function dress(node, attributes) {
  for (const [name, value] of Object.entries(attributes))
    if (name === "text") node.textContent = value;
    else if (name === "style")
      Object.entries(value).forEach(([key, one]) => node.style.setProperty(key, one));
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : value);
}
const find = id => document.getElementById(id);

function plural(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}
/* 0.00000342 -> "3.42 µs" */
function secondsText(seconds) {
  if (seconds <= 0) return "0 s";
  for (const [unit, scale] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]])
    if (seconds >= 0.9995 * scale) return `${+(seconds / scale).toPrecision(3)} ${unit}`;
  return `${+(seconds / 1e-9).toPrecision(3)} ns`;
}
function bytesText(bytes) {
  for (const [unit, scale] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
    if (bytes >= 0.9995 * scale) return `${+(bytes / scale).toPrecision(3)} ${unit}`;
  return plural(bytes, "byte");
}

/* The colours of the sheet as it is now, for canvases; and those of phases, which are pale: the
 * dark page mixes them down. */
const colours = {
  dark: false,
  names: {},
  read() {
    const style = getComputedStyle(document.documentElement);
    this.dark = style.getPropertyValue("--dark").trim() === "1";
    for (const name
           of ["ground", "panel", "ink", "muted", "faint", "line", "bad", "good", "select"])
      this.names[name] = style.getPropertyValue(`--${name}`).trim();
    this.mixed = new Map();
  },
  /* "#rrggbb" towards another, by a part of 0..1. */
  mix(from, to, part) {
    const key = from + to + part;
    let mixed = this.mixed.get(key);
    if (!mixed) {
      const at = (text, i) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
      mixed = "#" +
        [0, 1, 2]
          .map(i => Math.round(at(from, i) + (at(to, i) - at(from, i)) * part)
                      .toString(16)
                      .padStart(2, "0"))
          .join("");
      this.mixed.set(key, mixed);
    }
    return mixed;
  },
  /* Behind text. */
  fill(phases, phase) {
    const fill = phase < 0 ? "#ececec" : phases.fill[phase];
    return this.dark ? this.mix(phase < 0 ? "#8a8f98" : phases.line[phase], this.names.panel, 0.35)
                     : fill;
  },
  /* Of a slot: paler the less of the whole is in it, 0..1. */
  shade(phases, phase, part) {
    const line = phase < 0 ? "#909090" : phases.line[phase];
    return this.mix(this.names.panel, line, this.dark ? 0.3 + 0.55 * part : 0.1 + 0.5 * part);
  },
  /* Lines and bars. */
  line(phases, phase) {
    const line = phase < 0 ? "#909090" : phases.line[phase];
    return this.dark ? this.mix(phase < 0 ? "#a0a0a0" : phases.fill[phase], line, 0.25) : line;
  },
};

/* A list of any length, of which only the rows in sight are there. row(index) makes one. */
class LongList {
  constructor(box, rowHeight, row) {
    this.box = box;
    this.rowHeight = rowHeight;
    this.row = row;
    this.count = 0;
    this.body = element("div", { class: "long-body", role: "presentation" });
    box.append(this.body);
    box.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(box);
  }
  show(count) {
    this.count = count;
    this.body.style.height = `${count * this.rowHeight}px`;
    this.draw();
  }
  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.rowHeight) - 6);
    const end = Math.min(
      this.count, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.rowHeight) + 6);
    const rows = [];
    for (let i = first; i < end; i++) {
      const row = this.row(i);
      row.style.top = `${i * this.rowHeight}px`;
      rows.push(row);
    }
    this.body.replaceChildren(...rows);
  }
  /* Scrolls only as far as it must, or puts it in the middle. */
  reveal(index, middle = false) {
    const top = index * this.rowHeight, height = this.box.clientHeight, at = this.box.scrollTop;
    if (!height) return;
    if (middle || top < at + this.rowHeight || top > at + height - 2 * this.rowHeight)
      this.box.scrollTop = this.rowHeight * Math.round(index + 0.5 - height / 2 / this.rowHeight);
    this.draw();
  }
}
