/* buffers.js - what every slot holds at this step: a row a rank, and of a slot that is chosen its tree and its history. */

const SLOTS_AT_ONCE = 64;

class Buffers {
  constructor(page, box) {
    this.page = page;
    this.model = page.model;
    this.box = box;
    this.first = [0, 0, 0];
    this.most = [0, 1, 2].map(buffer => Math.max(0, ...[...this.model.memory.values()].map(memory => memory.slots[buffer])));
    this.cells = new Map();
    this.barOf = new Map();
    /* Where there is too much to see at once, what the input holds is the first to go: out of place it never changes. */
    let room = 72;
    this.open = [false, false, false];
    for (const buffer of this.model.data.schedule.in_place ? [1, 0, 2] : [1, 2, 0]) {
      const most = Math.min(SLOTS_AT_ONCE, this.most[buffer]);
      this.open[buffer] = most > 0 && (most <= room || room === 72);
      room -= this.open[buffer] ? most : 0;
    }
    this.grid = element("div", { class: "grid", role: "grid", "aria-label": "what every slot holds", tabindex: "0",
      onclick: event => this.choose(event.target.closest("[data-slot]")), onkeydown: event => this.walk(event),
      onfocusin: () => this.grid.classList.add("focused") });
    this.tools = element("div", { class: "grid-tools" });
    box.append(this.tools, this.grid);
    this.build();
    new ResizeObserver(() => this.fit()).observe(box);
  }

  /* How many slots of each buffer are in sight. */
  widths() {
    return this.most.map((most, buffer) => this.open[buffer] ? Math.min(SLOTS_AT_ONCE, most - this.first[buffer]) : 0);
  }
  fit() {
    const widths = this.widths(), columns = widths.reduce((sum, width) => sum + width, 0), rows = [...this.rows.values()].filter(row => !row.hidden).length;
    /* A part of one slot is as wide as its name. */
    const room = this.box.clientWidth - 14 * widths.filter(width => width).length - 34 - 24 - 34 * widths.filter(width => width === 1).length, space = this.box.clientHeight - 84;
    const tiny = room / Math.max(1, columns) < 22;
    const cell = tiny ? Math.max(6, Math.floor(room / Math.max(1, columns)) - 1) : Math.min(46, Math.floor(room / Math.max(1, columns)) - 2);
    const least = !tiny ? 24 : rows > 24 ? 6 : 14, height = Math.max(least, Math.min(44, Math.floor(space / Math.max(1, rows)) - (tiny && rows > 24 ? 1 : 4)));
    this.every = Math.ceil(12 / (height + 1));
    for (const [name, value] of [["cell", cell], ["row", height], ["gap", tiny ? 1 : 2], ["row-gap", tiny && rows > 24 ? 1 : 4]]) this.grid.style.setProperty(`--${name}`, `${value}px`);
    this.grid.classList.toggle("tiny", tiny);
    this.grid.classList.toggle("narrow", cell < 30);
    let shown = 0;
    for (const row of this.rows.values()) if (!row.hidden) row.classList.toggle("unnamed", shown++ % this.every !== 0);
    if (tiny !== this.tiny) {
      this.tiny = tiny;
      this.barOf.clear();
      this.showAll();
    }
  }

  build() {
    const { model } = this, rows = [this.heading()];
    this.tools.replaceChildren(...this.most.some(most => most) ? [element("span", { class: "facts", text: "slots" })] : [], ...BUFFERS.map((name, buffer) => element("button", { class: "toggle", text: name,
      "aria-pressed": String(this.open[buffer]), hidden: !this.most[buffer], onclick: () => { this.open[buffer] = !this.open[buffer]; this.build(); this.showAll(); } })));
    this.cells.clear();
    this.rows = new Map();
    for (const rank of model.shown) {
      const row = element("div", { class: "grid-row", role: "row" }, element("button", { class: "row-name", role: "rowheader", text: String(rank),
        title: `rank ${rank}: show its tasks`, tabindex: "-1", onclick: () => this.page.focusRank(rank) }));
      this.widths().forEach((width, buffer) => {
        if (!width) return;
        const part = element("div", { class: "grid-part", role: "presentation" });
        for (let i = 0; i < width; i++) part.append(this.makeCell(rank, buffer, this.first[buffer] + i));
        row.append(part);
      });
      rows.push(row);
      this.rows.set(rank, row);
    }
    this.grid.replaceChildren(...rows);
    this.showFilter();
  }
  heading() {
    const row = element("div", { class: "grid-row grid-head", role: "row" }, element("span", { class: "row-name", role: "columnheader", text: "rank" }));
    this.widths().forEach((width, buffer) => {
      if (!width) return;
      const part = element("div", { class: "grid-part", role: "columnheader", style: { "--columns": width } }), most = this.most[buffer], first = this.first[buffer];
      part.append(element("span", { class: "part-name", text: BUFFERS[buffer] + (buffer === 0 && this.model.data.schedule.in_place ? " = output" : "") }));
      if (most > SLOTS_AT_ONCE) {
        const turn = by => () => { this.first[buffer] = Math.max(0, Math.min(most - 1, first + by * SLOTS_AT_ONCE)); this.build(); this.showAll(); };
        part.append(element("button", { class: "turn", text: "‹", "aria-label": "earlier slots", onclick: turn(-1), disabled: first === 0 }),
          element("span", { class: "part-range", text: `${first}–${first + width - 1} of ${most}` }),
          element("button", { class: "turn", text: "›", "aria-label": "later slots", onclick: turn(1), disabled: first + width >= most }));
      } else if (width > 1) part.append(element("span", { class: "part-range", text: `0–${width - 1}` }));
      row.append(part);
    });
    return row;
  }
  makeCell(rank, buffer, slot) {
    const cell = this.model.cell(rank, buffer, slot);
    if (cell === NONE) return element("span", { class: "cell none", role: "presentation" });
    const node = element("span", { class: "cell", role: "gridcell", "data-slot": `${rank} ${buffer} ${slot}` });
    if (!this.cells.has(cell)) this.cells.set(cell, []);
    this.cells.get(cell).push(node);
    return node;
  }

  showAll() {
    for (const cell of this.cells.keys()) this.showCell(cell);
    this.showChosen();
  }
  showCells(cells) {
    const { fresh, model } = this.page;
    this.grid.classList.toggle("flood", this.tiny && model.firstWrite[fresh[1]] - model.firstWrite[fresh[0]] > 300);
    for (const cell of cells) if (this.cells.has(cell)) this.showCell(cell);
    this.showChosen();
  }
  /* Its colour is the phase that wrote it; the line below has a mark for every shard in it. */
  showCell(cell) {
    const { model } = this, tree = model.contents(cell), writer = model.writerOf(cell);
    const sum = tree >= 0 && model.trees.leaves[tree] > 1, whole = sum && model.trees.leaves[tree] === model.nshard;
    const text = tree < 0 ? "" : sum ? `${model.trees.leaves[tree]}` : String(model.trees.low[tree]);
    const part = model.reduces ? (model.trees.leaves[tree] - 1) / Math.max(1, model.nshard - 1) : 0.5;
    const fresh = writer >= 0 && this.page.isFresh(writer), faint = writer >= 0 && !this.page.hasPhase(writer);
    for (const node of this.cells.get(cell)) {
      node.className = "cell" + (tree < 0 ? writer >= 0 ? " unknown" : " empty" : "") + (sum ? " sum" : "") + (whole ? " whole" : "")
        + (fresh ? " fresh" : "") + (faint ? " faint" : "") + (writer >= 0 && model.witnesses.has(writer) ? " witness" : "");
      node.textContent = tree < 0 && writer >= 0 ? "?" : text;
      node.style.background = tree < 0 ? "" : (model.reduces && !this.tiny ? this.bar(tree) + "," : "") + (writer < 0 ? "var(--cell-input)" : colours.shade(model.data.phases, model.phase[writer], part));
    }
  }
  /* A mark for every shard, or of many how large a part they are. */
  bar(tree) {
    const { trees, nshard } = this.model;
    let bar = this.barOf.get(tree);
    if (bar) return bar;
    const stops = [], ink = "var(--bar)";
    const mark = (from, to) => stops.push(`transparent ${from}%`, `${ink} ${from}% ${to}%`, `transparent ${to}%`);
    if (nshard > 32) mark(0, 100 * trees.leaves[tree] / nshard);
    else for (const shard of leavesOf(trees, tree)) mark(100 * shard / nshard, 100 * (shard + (nshard > 16 ? 1 : 0.86)) / nshard);
    bar = `linear-gradient(90deg,${stops.join(",")}) left bottom/100% 4px no-repeat`;
    this.barOf.set(tree, bar);
    return bar;
  }

  choose(node) {
    if (node) this.page.chooseSlot(...node.dataset.slot.split(" ").map(Number));
  }
  nodeOf([rank, buffer, slot]) {
    return (this.cells.get(this.model.cell(rank, buffer, slot)) || []).find(node => node.dataset.slot === `${rank} ${buffer} ${slot}`);
  }
  showChosen() {
    this.grid.querySelectorAll(".chosen").forEach(node => { node.classList.remove("chosen"); node.removeAttribute("aria-selected"); node.removeAttribute("id"); });
    const node = this.page.slot && this.nodeOf(this.page.slot);
    if (!node) return this.grid.removeAttribute("aria-activedescendant");
    node.classList.add("chosen");
    dress(node, { "aria-selected": "true", id: "slot-chosen", "aria-label": this.model.place(...this.page.slot) + " holds " + this.model.trees.text(this.model.contents(this.model.cell(...this.page.slot)), 32) });
    this.grid.setAttribute("aria-activedescendant", "slot-chosen");
  }
  /* Arrows go from slot to slot while the grid has the focus. */
  walk(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!ways[event.key] || event.target !== this.grid || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const [aside, down] = ways[event.key];
    const rows = [...this.rows.values()].filter(row => !row.hidden).map(row => [...row.querySelectorAll(".cell")]);
    const chosen = this.page.slot && this.nodeOf(this.page.slot);
    let y = rows.findIndex(row => row.includes(chosen)), x = y < 0 ? -1 : rows[y].indexOf(chosen);
    if (y < 0) return this.choose(rows.flat().find(node => node.dataset.slot));
    do {
      x += aside;
      y += down;
    } while (rows[y] && rows[y][x] && !rows[y][x].dataset.slot);
    if (rows[y] && rows[y][x]) {
      this.choose(rows[y][x]);
      rows[y][x].scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
  showFilter() {
    for (const [rank, row] of this.rows) {
      row.hidden = !this.page.hasRank(rank);
      row.classList.toggle("focus", rank === this.page.rank);
    }
    this.fit();
  }

  /* What the panel says of the slot that is chosen. */
  describe(panel) {
    const { model, page } = this;
    if (!page.slot) {
      panel.replaceChildren(element("p", { class: "hint", text: "Choose a slot: here stands the tree it holds, and how it came there." }));
      return;
    }
    const [rank, buffer, slot] = page.slot, cell = model.cell(rank, buffer, slot), tree = model.contents(cell), chunk = model.chunkIn(cell);
    const demanded = buffer === 1 ? model.memory.get(rank).outputChunk[slot] : NONE;
    const facts = tree < 0 ? [] : [`${plural(model.trees.leaves[tree], model.reduces ? "contribution" : "source")} of ${model.nshard}`.replace(" of 1", model.nshard === 1 ? "" : " of 1")];
    if (tree < 0 && model.writerOf(cell) >= 0) facts.push("made of something undefined");
    if (chunk >= 0) facts.unshift(`chunk ${chunk}`);
    if (demanded >= 0) facts.push(`to hold chunk ${demanded} at the end`);
    const parts = [element("h3", { text: `Rank ${rank}, ${BUFFERS[buffer]} slot ${slot}` }), element("p", { class: "facts", text: facts.join(" · ") }),
      element("p", { class: "expression", id: "slot-tree", text: model.trees.text(tree) })];
    if (tree >= 0) parts.push(element("div", { class: "tree-box", tabindex: "0", "aria-label": "the tree as a picture" }, treePicture(model, tree)));
    if (tree >= 0 && model.trees.leaves[tree] > 64) parts.push(element("p", { class: "hint", text: "Cut where there are more than 64 ends; a round end is so many shards." }));
    parts.push(element("h4", { text: "How it came there" }), this.historyList(cell));
    panel.replaceChildren(...parts);
  }
  historyList(cell) {
    const { model, page } = this, list = element("ol", { class: "history" });
    const initial = model.initial[cell];
    list.append(element("li", { class: model.state[cell] < 0 ? "now" : "" }, element("span", { class: "when", text: "start" }),
      element("span", { text: initial < 0 ? "nothing" : model.trees.text(initial, 16) })));
    for (const write of model.history(cell)) {
      const task = model.order[model.writeStep[write] - 1];
      list.append(element("li", { class: write === model.state[cell] ? "now" : write > model.state[cell] ? "later" : "" },
        element("button", { class: "when", text: `step ${model.writeStep[write]}`, title: "go there", onclick: () => { page.go(model.writeStep[write]); page.chooseTask(task, false); } }),
        element("span", { text: `${KINDS[model.kind[task]]} by rank ${model.rankOf[task]}` }),
        element("span", { class: "expression", text: model.trees.text(model.writeTree[write], 16) })));
    }
    return list;
  }
}

/* The shards of a tree; of a part that came from elsewhere, its ends. */
function leavesOf(trees, root) {
  const leaves = [], stack = [root];
  while (stack.length) {
    const node = stack.pop();
    if (trees.isSum(node)) stack.push(trees.left[node], trees.right[node]);
    else for (let i = 0; i < trees.leaves[node]; i++) leaves.push(Math.min(trees.high[node], trees.low[node] + i));
  }
  return leaves.sort((a, b) => a - b);
}
