/* links.js - what a link is and what it carries, shown where the pointer is on it. */

/* So many points of the screen from a line are still on it. */
const NEAR = 7;

class LinkTip {
  constructor(stage, box) {
    this.stage = stage;
    this.box = box;
    this.pairs = this.pairUp(
      stage.linkList().filter(({ from, to }) => stage.places.has(from) && stage.places.has(to)));
    this.tip = element("div", { class: "tip link-tip", hidden: true });
    this.line = drawn("path", { class: "link under" });
    stage.groups.links.append(this.line);
    box.append(this.tip);
    for (const name of ["pointermove", "pointerdown"])
      box.addEventListener(name, event => this.describe(event));
    box.addEventListener("pointerleave", () => this.show(null));
  }
  /* Both directions, and all links between the same two, are one line. */
  pairUp(links) {
    const pairs = new Map();
    for (const link of links) {
      const key = [link.from, link.to].map(String).sort().join(" ");
      if (!pairs.has(key)) pairs.set(key, []);
      pairs.get(key).push(link);
    }
    return [...pairs.values()].map(
      between => ({ between, way: this.stage.way(between[0].from, between[0].to) }));
  }

  describe(event) {
    const matrix = this.stage.picture.getScreenCTM(),
          nodes = event.target.closest(".rank, .switch, .others");
    const [x, y] =
      [event.clientX - matrix.e, event.clientY - matrix.f].map(length => length / matrix.a);
    this.show(nodes ? null : this.nearest(x, y, NEAR / matrix.a), event);
  }
  nearest(x, y, least) {
    let found = null;
    for (const pair of this.pairs) {
      /* A line that goes aside is nearly so many straight ones. */
      pair.points ||= Array.from({ length: 13 }, (_, i) => pair.way.at(i / 12));
      for (let i = 0; i < 12; i++) {
        const away = distance(x, y, pair.points[i], pair.points[i + 1]);
        if (away >= least) continue;
        least = away;
        found = pair;
      }
    }
    return found;
  }
  show(pair, event) {
    this.tip.hidden = !pair;
    this.line.setAttribute("d", pair ? pair.way.path : "");
    if (!pair) return;
    const bounds = this.box.getBoundingClientRect();
    const most = 8, more = pair.between.length - most;
    this.tip.textContent =
      [...this.words(pair.between.slice(0, most)), ...(more > 0 ? [`and ${more} more`] : [])].join(
        "\n");
    const x = event.clientX - bounds.left, y = event.clientY - bounds.top,
          below = y + 16 + this.tip.offsetHeight < bounds.height;
    this.tip.style.left =
      `${Math.max(0, Math.min(x + 12, bounds.width - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${below ? y + 16 : Math.max(0, y - 8 - this.tip.offsetHeight)}px`;
  }
  name(vertex) {
    const { topology } = this.stage.model.data;
    return vertex === "others"               ? "ranks not shown"
      : topology && vertex >= topology.ranks ? `switch ${vertex - topology.ranks}`
                                             : String(vertex);
  }
  /* What they are, and below it what goes over each. */
  words(links) {
    const { topology, time } = this.stage.model.data, lines = [];
    let last = "";
    for (const { from, to, kind, down, latency, bandwidth, load, busy, moves } of links) {
      const ends = `${this.name(from)} → ${this.name(to)}`;
      if (!topology) {
        lines.push(`${ends}: ${plural(moves, "move")}, ${plural(load, "chunk")}`);
        continue;
      }
      const is =
        [topology.classes[kind], `${+ bandwidth.toPrecision(3)} GB/s`, secondsText(latency * 1e-9)]
          .filter(text => text)
          .join(", ");
      if (is !== last) lines.push(is);
      last = is;
      lines.push(ends +
        (down                 ? ": down"
            : !time.predicted ? ""
            : load ? `: ${bytesText(load)}, at work ${+ (100 * busy / time.total).toPrecision(3)} %`
                   : ": nothing"));
    }
    return lines;
  }
}

/* From a point to what lies between two others. */
function distance(x, y, [ax, ay], [bx, by]) {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const at =
    length ? Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) : 0;
  return Math.hypot(ax + at * (bx - ax) - x, ay + at * (by - ay) - y);
}
