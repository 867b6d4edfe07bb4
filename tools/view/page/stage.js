/* stage.js - the ranks where the topology has them, the links between, and what moves over them at this step. */

/* Where vertices stand: a map of rank or switch to [x, y], and how large they are drawn. */
function placeRanks(model) {
  const { topology } = model.data, ranks = model.shown;
  const name = topology ? topology.name || "" : "";
  const grid = /^torus(?::(\d+)x(\d+)(?:x(\d+))?)?/.exec(name);
  const places = grid && model.data.shown.ranks.length === topology.ranks ? placeGrid(grid, topology.ranks)
    : name.startsWith("hypercube") && ranks.length > 2 && ranks.length === topology.ranks ? placeCube(ranks.length)
      : topology ? placeGroups(model) : placeCircle(ranks);
  return places;
}

function placeCircle(ranks, centre = [0, 0], radius = Math.max(220, ranks.length * 16), turn = -Math.PI / 2) {
  const places = new Map();
  ranks.forEach((rank, i) => {
    const angle = turn + 2 * Math.PI * i / ranks.length;
    places.set(rank, ranks.length === 1 ? centre : [centre[0] + radius * Math.cos(angle), centre[1] + radius * Math.sin(angle)]);
  });
  return places;
}

/* Ranks count along the last dimension first; a third dimension is sheets, each a little to the side. */
function placeGrid(sizes, nrank) {
  let [a, b, c] = sizes.slice(1).map(size => size ? Number(size) : 0);
  if (!a) {
    a = 1;
    for (let i = 1; i * i <= nrank; i++) if (nrank % i === 0) a = i;
    b = nrank / a;
  }
  const places = new Map(), step = 130, sheets = c ? a : 1, rows = c ? b : a, columns = c || b;
  for (let rank = 0; rank < nrank; rank++) {
    const column = rank % columns, row = Math.floor(rank / columns) % rows, sheet = Math.floor(rank / columns / rows);
    places.set(rank, [column * step * (sheets > 1 ? 1.5 : 1) + sheet * step * 0.48, row * step * (sheets > 1 ? 1.5 : 1) + sheet * step * 0.4]);
  }
  return places;
}

/* A bit is a way to go: right, down, aslant, and then whole cubes to the right and below. */
function placeCube(nrank) {
  const ways = [[260, 0], [0, 260], [105, -95], [560, 60], [60, 500], [1150, 0], [0, 1050]];
  const places = new Map();
  for (let rank = 0; rank < nrank; rank++) {
    let x = 0, y = 0;
    ways.forEach((way, bit) => { if (rank >> bit & 1) { x += way[0]; y += way[1]; } });
    places.set(rank, [x, y]);
  }
  return places;
}

/* Ranks that links join without a switch stand together; switches between them. */
function placeGroups(model) {
  const { topology, links } = model.data, ranks = model.shown;
  const groupOf = new Map(ranks.map(rank => [rank, rank]));
  const root = rank => { while (groupOf.get(rank) !== rank) rank = groupOf.get(rank); return rank; };
  for (const [from, to] of links)
    if (from < topology.ranks && to < topology.ranks && root(from) !== root(to)) groupOf.set(Math.max(root(from), root(to)), Math.min(root(from), root(to)));
  const groups = new Map();
  for (const rank of ranks) groups.set(root(rank), [...groups.get(root(rank)) || [], rank]);
  const touched = [...new Set(links.flatMap(([from, to]) => [from, to]).filter(vertex => vertex >= topology.ranks))].sort((a, b) => a - b);
  if (groups.size === 1 || groups.size === ranks.length) {
    const places = placeCircle(ranks), radius = Math.max(220, ranks.length * 16);
    placeCircle(touched, [0, 0], touched.length > 1 ? radius / 2.6 : 0).forEach((place, vertex) => places.set(vertex, place));
    return places;
  }
  return placeServers([...groups.values()], touched, links, topology);
}

/* Servers above and below a row (or two) of switches. */
function placeServers(groups, switches, links, topology) {
  const places = new Map(), largest = Math.max(...groups.map(group => group.length));
  const radius = Math.max(110, largest * 24), gap = 2 * radius + 110, columns = Math.ceil(groups.length / 2);
  groups.forEach((group, i) => {
    const row = i < columns ? 0 : 1, inRow = row ? groups.length - columns : columns;
    const x = (i - row * columns - (inRow - 1) / 2) * gap, y = (row ? 1 : -1) * (radius + 130);
    placeCircle(group, [x, y], radius, group.length === 2 ? 0 : -Math.PI / 2 + Math.PI / group.length).forEach((place, rank) => places.set(rank, place));
  });
  /* Leaves touch ranks, spines do not. */
  const leaves = switches.filter(vertex => links.some(([from, to]) => from === vertex && to < topology.ranks));
  const spines = switches.filter(vertex => !leaves.includes(vertex));
  const spread = (list, y) => list.forEach((vertex, i) => places.set(vertex, [(i - (list.length - 1) / 2) * Math.min(130, Math.max(60, gap * columns / list.length)), y]));
  spread(leaves, spines.length ? -50 : 0);
  spread(spines, 50);
  return places;
}

class Stage {
  constructor(page, box) {
    this.page = page;
    this.model = page.model;
    this.places = placeRanks(this.model);
    this.nodes = new Map();
    this.measure();
    this.picture = drawn("svg", { class: "stage", viewBox: this.viewBox.join(" "), role: "group", "aria-label": "ranks and links" });
    this.groups = {};
    for (const name of ["links", "active", "nodes", "tokens"]) this.picture.append(this.groups[name] = drawn("g", { class: `stage-${name}` }));
    this.nearLinks();
    this.drawLinks();
    this.drawNodes();
    box.append(this.picture);
  }

  measure() {
    const { ranks } = this.model.data.schedule;
    const all = [...this.places].filter(([vertex]) => vertex < ranks).map(([, place]) => place);
    let nearest = 200;
    for (let i = 0; i < all.length; i++)
      for (let k = i + 1; k < all.length; k++) nearest = Math.min(nearest, Math.hypot(all[i][0] - all[k][0], all[i][1] - all[k][1]));
    this.radius = Math.max(9, Math.min(44, nearest * (all.length > 32 ? 0.4 : 0.3)));
    if (this.model.shown.length < ranks) {
      const centre = [0, 1].map(i => all.reduce((sum, place) => sum + place[i], 0) / all.length);
      this.places.set("others", all.length > 2 && ![...this.places.keys()].some(vertex => vertex >= ranks) ? centre
        : [centre[0], Math.max(...all.map(place => place[1])) + 150]);
    }
    const xs = [...this.places.values()].map(place => place[0]), ys = [...this.places.values()].map(place => place[1]);
    const margin = this.radius * 1.5 + (/^torus/.test(this.model.data.topology?.name || "") ? 46 : 18);
    this.viewBox = [Math.min(...xs) - margin, Math.min(...ys) - margin, Math.max(...xs) - Math.min(...xs) + 2 * margin, Math.max(...ys) - Math.min(...ys) + 2 * margin];
    /* Little to show is not blown up. */
    const least = 520, [x, y, width, height] = this.viewBox;
    this.viewBox = [x - Math.max(0, least - width) / 2, y - Math.max(0, least - height) / 2, Math.max(width, least), Math.max(height, least)];
    this.scale = Math.max(this.viewBox[2], this.viewBox[3]) / 620;
  }

  /* A rank that is not shown is one of the others. */
  vertexOf(rank) {
    return this.places.has(rank) ? rank : "others";
  }
  /* From place to place, bent round what stands on the way in a row: [x, y] at 0..1, and as a path. */
  way(from, to) {
    const a = this.places.get(from), b = this.places.get(to);
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    const normal = [-(b[1] - a[1]) / length, (b[0] - a[0]) / length];
    const between = [...this.places.entries()].some(([vertex, place]) => vertex !== from && vertex !== to && nearLine(place, a, b, this.radius * 0.9));
    const side = from < to ? 1 : -1, bend = between ? Math.min(58, length * 0.16) * side * 2 : 0;
    const control = [middle[0] + normal[0] * bend, middle[1] + normal[1] * bend];
    const at = t => [0, 1].map(i => (1 - t) * (1 - t) * a[i] + 2 * t * (1 - t) * control[i] + t * t * b[i]);
    const near = Math.min(0.45, (this.radius + 3) / length);
    const [start, end] = [at(near), at(1 - near)];
    const path = bend ? `M${round(start)}Q${round(control)} ${round(end)}` : `M${round(start)}L${round(end)}`;
    return { at, path, control, start, end, length, near };
  }
  route(from, to) {
    const key = `${from} ${to}`;
    this.routes ||= new Map();
    let route = this.routes.get(key);
    if (!route) {
      const stops = this.stops(from, to), legs = [];
      for (let i = 0; i + 1 < stops.length; i++) legs.push(this.way(stops[i], stops[i + 1]));
      route = { legs, path: legs.map(leg => leg.path).join(""),
        at: t => { const i = Math.min(legs.length - 1, Math.floor(t * legs.length)); return legs[i].at(t * legs.length - i); } };
      this.routes.set(key, route);
    }
    return route;
  }
  /* The links of each vertex that are up. */
  nearLinks() {
    this.next = new Map();
    for (const [from, to, , down] of this.model.data.links) {
      if (!this.next.has(from)) this.next.set(from, []);
      if (!down) this.next.get(from).push(to);
    }
  }
  /* Straight if there is such a link; else by the fewest switches. */
  stops(from, to) {
    const { topology } = this.model.data;
    if (!topology || !topology.switches || (this.next.get(from) || []).includes(to) || !this.places.has(from) || !this.places.has(to)) return [from, to];
    const before = new Map([[from, null]]), queue = [from];
    for (const vertex of queue) {
      for (const other of this.next.get(vertex) || []) {
        if (before.has(other) || (other < topology.ranks && other !== to)) continue;
        before.set(other, vertex);
        if (other !== to) {
          queue.push(other);
          continue;
        }
        const stops = [];
        for (let at = to; at !== null; at = before.get(at)) stops.unshift(at);
        return stops;
      }
    }
    return [from, to];
  }

  /* Without a topology a line joins what exchanges data. */
  linkList() {
    const { model } = this;
    if (model.data.topology) return model.data.links.map(([from, to, kind, down, ns, gbs, bytes]) => ({ from, to, kind, down, ns, gbs, load: bytes || 0 }));
    const loads = new Map();
    for (let task = 0; task < model.ntask; task++)
      if (model.kind[task] === SEND || model.kind[task] === SEND_REDUCE) {
        const from = this.vertexOf(model.rankOf[task]), to = this.vertexOf(model.peer[task]);
        if (from === to || !this.places.has(to)) continue;
        const key = `${from} ${to}`, link = loads.get(key) || { from, to, kind: 0, down: 0, load: 0 };
        link.load += model.count[task];
        loads.set(key, link);
      }
    return [...loads.values()];
  }
  /* Lines of one class and about one load are one path: a full mesh of 64 has 2,016. */
  drawLinks() {
    const links = this.linkList(), most = Math.max(...links.map(link => link.load), 0);
    const pairs = new Map();
    for (const link of links) {
      const key = [link.from, link.to].map(String).sort().join(" ");
      const pair = pairs.get(key);
      if (!pair) pairs.set(key, { ...link });
      else pair.load = Math.max(pair.load, link.load);
    }
    const paths = new Map();
    this.mostLoad = most;
    for (const link of pairs.values()) {
      const level = !most || !link.load ? 0 : 1 + Math.round(3 * link.load / most);
      const key = link.down ? "down" : `class-${link.kind % 6} load-${level}`;
      if (!paths.has(key)) paths.set(key, []);
      paths.get(key).push(this.way(link.from, link.to).path);
    }
    const crowded = pairs.size > 300 ? " crowded" : pairs.size > 60 ? " many" : "";
    for (const [key, list] of [...paths].sort()) this.groups.links.append(drawn("path", { class: `link ${key}${crowded}`, d: list.join("") }));
  }

  drawNodes() {
    const { model, page } = this, { radius } = this;
    for (const [vertex, place] of this.places) {
      const isRank = this.model.isShown.has(vertex);
      const group = drawn("g", { class: isRank ? "rank" : vertex === "others" ? "others" : "switch", transform: `translate(${round(place)})` });
      if (isRank) {
        const ring = radius + 4, around = 2 * Math.PI * ring;
        const progress = drawn("circle", { class: "rank-progress", r: ring, "stroke-dasharray": `0 ${around}`, transform: "rotate(-90)" });
        dress(group, { tabindex: "0", role: "button", "aria-label": `rank ${vertex}: show its tasks`, "data-rank": vertex,
          onclick: () => page.focusRank(vertex), onkeydown: event => { if (event.key === "Enter") page.focusRank(vertex); } });
        group.append(drawn("circle", { class: "rank-ring", r: ring }), progress, drawn("circle", { class: "rank-disc", r: radius }),
          drawn("text", { text: String(vertex), style: { "font-size": `${Math.max(9, radius * (String(vertex).length > 2 ? 0.62 : 0.78))}px` } }));
        let ntask = 0;
        for (const stream of model.streamsOf.get(vertex)) ntask += stream.end - stream.first;
        this.nodes.set(vertex, { group, progress, around, ntask, done: -1, streams: model.streamsOf.get(vertex) });
      } else if (vertex === "others") {
        const count = model.data.schedule.ranks - model.shown.length;
        group.append(drawn("circle", { r: Math.max(36, radius) }), drawn("text", { text: `${count} more`, style: { "font-size": "15px" } }), drawn("title", { text: `${plural(count, "rank")} not shown on this page` }));
      } else {
        group.append(drawn("rect", { x: -19, y: -11, width: 38, height: 22, rx: 5 }), drawn("title", { text: `switch ${vertex - model.data.topology.ranks}` }));
      }
      this.groups.nodes.append(group);
    }
  }

  /* Ranks that the filter leaves out are faint. */
  showFilter() {
    for (const [rank, node] of this.nodes) {
      node.group.classList.toggle("faint", !this.page.hasRank(rank));
      node.group.classList.toggle("focus", rank === this.page.rank);
    }
  }

  showProgress() {
    const { model } = this;
    for (const node of this.nodes.values()) {
      let done = 0;
      for (const stream of node.streams) done += countDone(model, stream);
      if (done === node.done) continue;
      node.done = done;
      const part = node.ntask ? done / node.ntask : 1;
      node.progress.setAttribute("stroke-dasharray", `${node.around * part} ${node.around}`);
      const stuck = model.step === model.nstep && node.streams.some(stream => stream.first + countDone(model, stream) < stream.end);
      node.group.classList.toggle("stuck", stuck);
    }
  }

  /* What moves now: tasks and how far each is, 0..1. */
  showMoves(moves) {
    const { model, page } = this, { phases } = model.data;
    const lines = new Map(), tokens = [], pulses = new Set(), limit = 140;
    const crowded = moves.length > 48;
    let crossing = 0;
    for (const { task, at } of moves) {
      const kind = model.kind[task], from = this.vertexOf(model.rankOf[task]);
      if (!page.hasTask(task)) continue;
      if (kind <= REDUCE) pulses.add(from);
      else if (kind <= SEND_REDUCE || !crowded) {
        const wait = kind === WAIT, to = this.vertexOf(model.peer[task]);
        if (wait || from === to || !this.places.has(to)) continue;
        const route = this.route(from, to), key = kind === NOTIFY ? "notify" : model.witnesses.has(task) ? "witness" : model.phase[task];
        if (!lines.has(key)) lines.set(key, []);
        lines.get(key).push(route.path);
        if (++crossing <= limit) tokens.push(this.token(task, route, at, crowded));
      }
    }
    const under = ([key]) => key === "notify" ? 0 : 1;
    this.groups.active.replaceChildren(...[...lines].sort((a, b) => under(a) - under(b)).map(([key, list]) => drawn("path", {
      class: `active ${typeof key === "number" ? "move" : key}`, d: list.join(""),
      style: typeof key === "number" ? { stroke: colours.line(phases, key) } : {} })));
    this.groups.tokens.replaceChildren(...tokens);
    for (const [rank, node] of this.nodes) node.group.classList.toggle("local", pulses.has(rank));
  }
  token(task, route, at, small) {
    const { model } = this, kind = model.kind[task], { phases } = model.data;
    const leg = route.legs[0], part = kind === NOTIFY ? at * 0.62 : at, inside = leg.near + part * (1 - 2 * leg.near);
    const [x, y] = route.at(route.legs.length > 1 ? part : inside);
    const group = drawn("g", { class: kind === NOTIFY ? "token notify" : "token", transform: `translate(${round([x, y])})`, "data-task": task });
    if (kind === NOTIFY) {
      group.append(drawn("circle", { r: 4.5 * this.scale }));
      return group;
    }
    const style = { fill: colours.fill(phases, model.phase[task]), stroke: colours.line(phases, model.phase[task]) };
    if (small) {
      group.append(drawn("circle", { r: 5 * this.scale, style }));
      return group;
    }
    const count = model.count[task], first = model.chunk[task];
    const label = (kind === SEND_REDUCE ? "+" : "") + (count > 1 ? `${first}–${first + count - 1}` : first);
    const size = 14 * this.scale, width = size * (0.62 * label.length + 0.9);
    group.append(drawn("rect", { x: -width / 2, y: -size * 0.75, width, height: size * 1.5, rx: size * 0.4, style }),
      drawn("text", { text: label, style: { "font-size": `${size}px` } }));
    return group;
  }
}

function round([x, y]) {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}
function nearLine([x, y], a, b, distance) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const along = ((x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])) / length;
  const aside = Math.abs((x - a[0]) * (b[1] - a[1]) - (y - a[1]) * (b[0] - a[0])) / length;
  return aside < distance && along > distance && along < length - distance;
}
/* How many tasks of a stream are done: they are in order. */
function countDone(model, stream) {
  let low = stream.first, high = stream.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (model.isDone(middle)) low = middle + 1;
    else high = middle;
  }
  return low - stream.first;
}
