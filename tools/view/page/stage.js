/* stage.js - the ranks where the topology has them, the links between, and what moves over them at
 * this step. */

/* Units of the picture in an inch; the document has places in inches. */
const INCH = 130;
/* Numbers of a box. */
const BOX = 6;

/* Where vertices stand, by number: as the topology is drawn elsewhere; without one, on a circle. */
function placeRanks(model) {
  const { places } = model.data, at = new Map();
  if (!places) {
    const { shown } = model, radius = Math.max(220, shown.length * 16);
    shown.forEach((rank, i) => {
      const angle = 2 * Math.PI * i / shown.length - Math.PI / 2;
      at.set(
        rank, shown.length === 1 ? [0, 0] : [radius * Math.cos(angle), radius * Math.sin(angle)]);
    });
    return at;
  }
  /* Switches that no link shown leads to stay away. */
  const touched = new Set(model.links.flatMap(([from, to]) => [from, to]));
  for (let i = 0; i < places.length; i += 3)
    if (places[i] < model.data.topology.ranks || touched.has(places[i]))
      at.set(places[i], [places[i + 1] * INCH, places[i + 2] * INCH]);
  return at;
}

class Stage {
  constructor(page, box) {
    this.page = page;
    this.model = page.model;
    this.places = placeRanks(this.model);
    this.nodes = new Map();
    this.measure();
    this.picture = drawn("svg", {
      class: "stage",
      viewBox: this.viewBox.join(" "),
      role: "group",
      "aria-label": "ranks and links"
    });
    this.groups = {};
    for (const name of ["boxes", "links", "active", "nodes", "tokens"])
      this.picture.append(this.groups[name] = drawn("g", { class: `stage-${name}` }));
    this.nearLinks();
    this.drawBoxes();
    this.drawLinks();
    this.drawNodes();
    box.append(this.picture);
    this.tip = new LinkTip(this, box);
  }

  measure() {
    const { ranks } = this.model.data.schedule;
    const all = [...this.places].filter(([vertex]) => vertex < ranks).map(([, place]) => place);
    let nearest = 200;
    for (let i = 0; i < all.length; i++)
      for (let k = i + 1; k < all.length; k++)
        nearest = Math.min(nearest, Math.hypot(all[i][0] - all[k][0], all[i][1] - all[k][1]));
    this.radius = Math.max(9, Math.min(44, nearest * (all.length > 32 ? 0.4 : 0.3)));
    if (this.model.shown.length < ranks) {
      const centre = [0, 1].map(i => all.reduce((sum, place) => sum + place[i], 0) / all.length);
      this.places.set("others",
        all.length > 2 && ![...this.places.keys()].some(vertex => vertex >= ranks)
          ? centre
          : [centre[0], Math.max(...all.map(place => place[1])) + 150]);
    }
    const corners = [...this.places.values()], margin = this.radius * 1.5 + 16,
          boxes = this.model.data.boxes || [];
    for (let i = 0; i < boxes.length; i += BOX)
      corners.push(
        [boxes[i + 1] * INCH, boxes[i + 2] * INCH], [boxes[i + 3] * INCH, boxes[i + 4] * INCH]);
    for (const [from, to, , , , , bow] of this.model.links)
      if (bow && this.places.has(from) && this.places.has(to))
        corners.push(bent(this.places.get(from), this.places.get(to), bow * INCH));
    const xs = corners.map(place => place[0]), ys = corners.map(place => place[1]);
    this.viewBox = [
      Math.min(...xs) - margin, Math.min(...ys) - margin,
      Math.max(...xs) - Math.min(...xs) + 2 * margin, Math.max(...ys) - Math.min(...ys) + 2 * margin
    ];
    /* Little to show is not blown up. */
    const least = 400, [x, y, width, height] = this.viewBox;
    this.viewBox = [
      x - Math.max(0, least - width) / 2, y - Math.max(0, least - height) / 2,
      Math.max(width, least), Math.max(height, least)
    ];
    this.scale = Math.max(this.viewBox[2], this.viewBox[3]) / 620;
  }

  /* A rank that is not shown is one of the others. */
  vertexOf(rank) {
    return this.places.has(rank) ? rank : "others";
  }
  /* From place to place, aside where the link goes aside: [x, y] at 0..1, and as a path. */
  way(from, to) {
    const a = this.places.get(from), b = this.places.get(to),
          bow = (this.bows.get(`${from} ${to}`) || 0) * INCH;
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, control = bent(a, b, 2 * bow);
    const at =
      t => [0, 1].map(i => (1 - t) * (1 - t) * a[i] + 2 * t * (1 - t) * control[i] + t * t * b[i]);
    /* What is seen of it is between the discs: a part of a parabola is one again. */
    const near = Math.min(0.45, (this.radius + 3) / length),
          [start, end] = [at(near), at(1 - near)], inner = near * near;
    const middle =
      [0, 1].map(i => (near - inner) * (a[i] + b[i]) + (1 - 2 * near + 2 * inner) * control[i]);
    return {
      at,
      near,
      path: bow ? `M${round(start)}Q${round(middle)} ${round(end)}`
                : `M${round(start)}L${round(end)}`
    };
  }
  /* via: the switches it goes over, where its stream names them. */
  route(from, to, via = null) {
    const key = `${from} ${via ? via.join(" ") : ""} ${to}`;
    this.routes ||= new Map();
    let route = this.routes.get(key);
    if (!route) {
      const named = via && [from, ...via, to].every(vertex => this.places.has(vertex));
      const stops = named ? [from, ...via, to] : this.stops(from, to), legs = [];
      for (let i = 0; i + 1 < stops.length; i++) legs.push(this.way(stops[i], stops[i + 1]));
      route = {
        legs,
        path: legs.map(leg => leg.path).join(""),
        at: t => {
          const i = Math.min(legs.length - 1, Math.floor(t * legs.length));
          return legs[i].at(t * legs.length - i);
        }
      };
      this.routes.set(key, route);
    }
    return route;
  }
  /* The links of each vertex that are up. */
  nearLinks() {
    this.next = new Map();
    this.bows = new Map();
    for (const [from, to, , down, , , bow] of this.model.links) {
      this.bows.set(`${from} ${to}`, bow);
      if (!this.next.has(from)) this.next.set(from, []);
      if (!down) this.next.get(from).push(to);
    }
  }
  /* Straight if there is such a link; else by the fewest switches. */
  stops(from, to) {
    const { topology } = this.model.data;
    if (!topology || !topology.switches || (this.next.get(from) || []).includes(to) ||
      !this.places.has(from) || !this.places.has(to))
      return [from, to];
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
    if (model.data.topology)
      return model.links.map(([from, to, kind, down, latency, bandwidth, , bytes,
        busy]) => ({ from, to, kind, down, latency, bandwidth, busy, load: bytes || 0 }));
    const loads = new Map();
    for (let task = 0; task < model.ntask; task++)
      if (model.kind[task] === SEND || model.kind[task] === SEND_REDUCE) {
        const from = this.vertexOf(model.rankOf[task]), to = this.vertexOf(model.peer[task]);
        if (from === to || !this.places.has(to)) continue;
        const key = `${from} ${to}`,
              link = loads.get(key) || { from, to, kind: 0, down: 0, load: 0, moves: 0 };
        link.load += model.count[task];
        link.moves++;
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
    for (const [key, list] of [...paths].sort())
      this.groups.links.append(drawn("path", { class: `link ${key}${crowded}`, d: list.join("") }));
  }

  drawBoxes() {
    const { boxes } = this.model.data;
    for (let i = 0; boxes && i < boxes.length; i += BOX) {
      const [left, top, right, bottom] = boxes.slice(i + 1, i + 5).map(number => number * INCH),
                               y = boxes[i + 5] ? bottom - 14 * this.scale : top + 14 * this.scale;
      this.groups.boxes.append(
        drawn("rect",
          { class: "box", x: left, y: top, width: right - left, height: bottom - top, rx: 14 }),
        drawn("text", {
          class: "box-name",
          x: left + 10 * this.scale,
          y,
          style: { "font-size": `${11 * this.scale}px` },
          text: boxes.length > BOX ? `server ${boxes[i]}` : ""
        }));
    }
  }

  /* Of a rank's number, in radii: among many as large as fits. */
  letterSize(vertex) {
    const letters = String(vertex).length, many = this.places.size > 32;
    return letters > 2 ? many ? 0.8 : 0.62 : many ? 1.15 : 0.78;
  }
  drawNodes() {
    const { model, page } = this, { radius } = this;
    for (const [vertex, place] of this.places) {
      const isRank = this.model.isShown.has(vertex);
      const group = drawn("g", {
        class: isRank           ? "rank"
          : vertex === "others" ? "others"
                                : "switch",
        transform: `translate(${round(place)})`
      });
      if (isRank) {
        const ring = radius + 4, around = 2 * Math.PI * ring;
        const progress = drawn("circle", {
          class: "rank-progress",
          r: ring,
          "stroke-dasharray": `0 ${around}`,
          transform: "rotate(-90)"
        });
        dress(group, {
          tabindex: "0",
          role: "button",
          "aria-label": `rank ${vertex}: show its tasks`,
          "data-rank": vertex,
          onclick: () => page.focusRank(vertex),
          onkeydown: event => {
            if (event.key === "Enter") page.focusRank(vertex);
          }
        });
        group.append(drawn("circle", { class: "rank-ring", r: ring }), progress,
          drawn("circle", { class: "rank-disc", r: radius }), drawn("text", {
            text: String(vertex),
            style: { "font-size": `${Math.max(9, radius * this.letterSize(vertex))}px` }
          }));
        let ntask = 0;
        for (const stream of model.streamsOf.get(vertex)) ntask += stream.end - stream.first;
        this.nodes.set(vertex,
          { group, progress, around, ntask, done: -1, streams: model.streamsOf.get(vertex) });
      } else if (vertex === "others") {
        const count = model.data.schedule.ranks - model.shown.length;
        group.append(drawn("circle", { r: Math.max(radius, 40 * this.scale) }),
          drawn("text", { text: `${count} more`, style: { "font-size": `${13 * this.scale}px` } }),
          drawn("title", { text: `${plural(count, "rank")} not shown on this page` }));
      } else {
        group.append(drawn("rect", { x: -19, y: -11, width: 38, height: 22, rx: 5 }),
          drawn("title", { text: `switch ${vertex - model.data.topology.ranks}` }));
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
      const stuck = model.step === model.nstep &&
        node.streams.some(stream => stream.first + countDone(model, stream) < stream.end);
      node.group.classList.toggle("stuck", stuck);
    }
  }

  /* What moves now: tasks and how far each is, 0..1. */
  showMoves(moves) {
    const { model, page } = this, { phases } = model.data;
    const lines = new Map(), dots = new Map(), tokens = [], pulses = new Set();
    const crowded = moves.length > 48, labels = [];
    const put = (map, key, path) => {
      if (map.has(key))
        map.get(key).push(path);
      else
        map.set(key, [path]);
    };
    for (const { task, at } of moves) {
      const kind = model.kind[task], from = this.vertexOf(model.rankOf[task]);
      if (!page.hasTask(task)) continue;
      if (kind <= REDUCE) pulses.add(from);
      else if (kind <= SEND_REDUCE || !crowded) {
        const wait = kind === WAIT, to = this.vertexOf(model.peer[task]);
        if (wait || from === to || !this.places.has(to)) continue;
        const sends = kind === SEND || kind === SEND_REDUCE,
              via = sends ? model.streams[model.streamOf[task]].via : null,
              route = this.route(from, to, via), key = kind === NOTIFY   ? "notify"
          : model.witnesses.has(task) ? "witness"
                                      : model.phase[task];
        put(lines, key, route.path);
        const place = crowded || page.playing ? this.on(route, kind, at)
          : this.freePlace(labels, task, route, at);
        if (!crowded) tokens.push(this.token(task, place));
        else put(dots, model.phase[task], `M${round(place)}h0`);
      }
    }
    if (model.step === model.nstep) this.addWaiting(lines, tokens);
    const under = ([key]) => key === "notify" ? 0 : 1;
    this.groups.active.replaceChildren(
      ...[...lines].sort((a, b) => under(a) - under(b)).map(([key, list]) => drawn("path", {
        class: `active ${typeof key === "number" ? "move" : key}`,
        d: list.join(""),
        style: typeof key === "number" ? { stroke: colours.line(phases, key) } : {}
      })));
    this.groups.tokens.replaceChildren(
      ...tokens, ...[...dots].map(([phase, list]) => drawn("path", {
        class: "dots",
        d: list.join(""),
        style: { stroke: colours.line(phases, phase), "stroke-width": 9 * this.scale }
      })));
    for (const [rank, node] of this.nodes) node.group.classList.toggle("local", pulses.has(rank));
  }
  /* Who is stuck waits for whom: a dot stands at the one that is waited for. */
  addWaiting(lines, tokens) {
    const { model } = this, routes = [];
    for (const { task } of model.data.verdict.stopped.slice(0, 400)) {
      const from = model.rankOf[task], to = this.vertexOf(model.peer[task]);
      if (from !== to && this.places.has(from) && this.places.has(to))
        routes.push(this.route(from, to));
    }
    if (!routes.length) return;
    lines.set("waits", routes.map(route => route.path));
    tokens.push(drawn("path", {
      class: "dots waits",
      d: routes.map(route => `M${round(this.on(route, WAIT, 0.9))}h0`).join(""),
      style: { "stroke-width": 11 * this.scale }
    }));
  }
  /* What stands still has labels of which none lies over another: in the nearest place that is
   * free, on its way or beside it. */
  freePlace(labels, task, route, at) {
    const { model } = this, kind = model.kind[task];
    if (kind === NOTIFY) return this.on(route, kind, at);
    const width = this.labelWidth(this.labelOf(task)), height = 21 * this.scale;
    const near = (one, [x, y]) =>
      Math.abs(one.x - x) < (one.width + width) / 2 + 2 && Math.abs(one.y - y) < height + 2;
    let place = this.on(route, kind, at);
    for (const tried of this.placesBeside(route, kind, at, height + 3)) {
      if (labels.some(one => near(one, tried))) continue;
      place = tried;
      break;
    }
    labels.push({ x: place[0], y: place[1], width });
    return place;
  }
  *placesBeside(route, kind, at, height) {
    for (const aside of [0, 1, -1, 2, -2])
      for (let i = 0; i < 21; i++) {
        const along = at + 0.04 * (i % 2 ? (i + 1) / 2 : -i / 2);
        if (along < 0.06 || along > 0.94) continue;
        const [x, y] = this.on(route, kind, along), [u, v] = this.on(route, kind, along + 0.05);
        const length = Math.hypot(u - x, v - y) || 1;
        yield [x - aside * height * (v - y) / length, y + aside * height * (u - x) / length];
      }
  }
  /* A Notify comes behind what it announces. */
  on(route, kind, at) {
    const { near } = route.legs[0], part = kind === NOTIFY ? at * 0.62 : at;
    return route.at(route.legs.length > 1 ? part : near + part * (1 - 2 * near));
  }
  /* `+c2`: chunk 2, to be added where it arrives; of several the first and the last; and with
   * counts the elements of them. */
  labelOf(task) {
    const { model } = this, count = model.count[task], first = model.chunk[task];
    const more = count < 2 ? "" : model.data.schedule.operator === "AllToAll" ? "…"
      : `–${first + count - 1}`;
    const elements = model.elements ? `: ${model.elements[task]}` : "";
    return (model.kind[task] === SEND_REDUCE ? "+" : "") + model.chunkLetters(first) + more +
      elements;
  }
  labelWidth(label) {
    return 14 * this.scale * (0.62 * label.length + 0.9);
  }
  token(task, place) {
    const { model } = this, kind = model.kind[task], { phases } = model.data;
    const group = drawn("g", { class: kind === NOTIFY ? "token notify" : "token",
      transform: `translate(${round(place)})`, "data-task": task });
    if (kind === NOTIFY) {
      group.append(drawn("circle", { r: 4.5 * this.scale }));
      return group;
    }
    const style = {
      fill: colours.fill(phases, model.phase[task]),
      stroke: colours.line(phases, model.phase[task])
    };
    if (model.elements && !model.elements[task]) style["stroke-dasharray"] = "3 3";
    const label = this.labelOf(task), size = 14 * this.scale, width = this.labelWidth(label);
    group.append(
      drawn("rect",
        { x: -width / 2, y: -size * 0.75, width, height: size * 1.5, rx: size * 0.4, style }),
      drawn("text", { text: label, style: { "font-size": `${size}px` } }));
    return group;
  }
}

function round([x, y]) {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}
/* The middle between two places, so far to the left of the way. */
function bent(a, b, aside) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  return [
    (a[0] + b[0]) / 2 + aside * (b[1] - a[1]) / length,
    (a[1] + b[1]) / 2 - aside * (b[0] - a[0]) / length
  ];
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
