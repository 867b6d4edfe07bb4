/* buffers.js - what every slot holds at this step: a row a rank, and of a slot that is chosen its
 * tree and its history. */

const SLOTS_AT_ONCE = 64;

/* Points: of a cell that is still seen, of one that is good to look at, of a letter in it, of a
 * scroll bar. */
const LEAST_CELL = 3, WIDEST_CELL = 46, LETTER = 6.3, SCROLL_BAR = 16;
const NAME_WIDTH = 28, PART_GAP = 14, LEAST_PART = 52;

/* Above that there is no mark for every shard. */
const MOST_MARKS = 32;

/* What the kinds of cells mean, shown for the cell under the pointer. */
const KIND_WORDS = {
  own: (model, tree) => `what ${model.operandWords(model.trees.low[tree])} contributes, alone`,
  sum: (model, tree) => `a sum of ${model.trees.leaves[tree]}; ` +
    (model.nshard > MOST_MARKS ? "the line below it is its part of the whole"
      : "the marks below it: of which"),
  whole: model => `the whole sum, of all ${model.nshard}`,
  twice: () => "a sum that contains a shard twice",
  copy: (model, tree, chunk) => model.chunkWords(chunk),
  empty: () => "nothing written yet",
  unknown: () => "computed from undefined data",
};

class Buffers {
  constructor(page, box) {
    this.page = page;
    this.model = page.model;
    this.box = box;
    this.first = [0, 0, 0];
    this.most =
      [0, 1, 2].map(buffer => Math.max(
                      0, ...[...this.model.memory.values()].map(memory => memory.slots[buffer])));
    this.cells = new Map();
    this.barOf = new Map();
    this.kinds = new Map();
    this.seen = new Map();
    this.large = false;
    /* So wide that all letters are read. */
    this.lettered = Math.max(20, Math.ceil(this.model.longestLetters() * LETTER + 3));
    this.grid = element("div", {
      class: "grid",
      role: "grid",
      "aria-label": "what every slot holds",
      tabindex: "0",
      onclick: event => this.choose(event.target.closest("[data-slot]")),
      onkeydown: event => this.walk(event),
      onfocusin: () => this.grid.classList.add("focused")
    });
    this.tools = element("div", { class: "grid-tools" });
    this.scroll = element("div", { class: "grid-scroll" }, this.grid);
    this.legend = element("div", { class: "grid-legend", role: "note",
      "aria-label": "what slots show" });
    this.tip = element("div", { class: "tip cell-tip", hidden: true });
    box.append(this.tools, this.scroll, this.legend, this.tip);
    this.openFirst();
    this.build();
    this.grid.addEventListener("pointerover",
      event => this.pointAt(event.target.closest("[data-slot]")));
    this.grid.addEventListener("pointerleave", () => this.pointAt(null));
    new ResizeObserver(() => this.fit()).observe(this.scroll);
  }
  /* As many buffers as can be read: out of place the input never changes, and is the first to
   * go. */
  openFirst() {
    this.open = [false, false, false];
    const room = this.scroll.offsetWidth - 24;
    const order = this.model.data.schedule.in_place ? [1, 0, 2] : [1, 2, 0];
    /* Before the outputs are written there is more to see in scratch. */
    const [, written, kept] = [0, 1, 2].map(buffer => this.partHeld(buffer));
    if (written < 0.1 && kept > written) order.sort((a, b) => (b === 2) - (a === 2));
    for (const buffer of order) {
      if (!this.most[buffer]) continue;
      const none = !this.open.some(open => open);
      this.open[buffer] = true;
      if (!none && this.widthOf(this.lettered) > room) this.open[buffer] = false;
    }
  }

  /* How many of the slots of a buffer hold something, 0..1. */
  partHeld(buffer) {
    const { model } = this;
    let count = 0, held = 0;
    for (const [rank, memory] of model.memory)
      for (let slot = 0; slot < memory.slots[buffer]; slot++, count++)
        if (model.contents(model.cell(rank, buffer, slot)) !== NONE) held++;
    return count ? held / count : 0;
  }

  /* How many slots of each buffer are in sight. */
  widths() {
    return this.most.map(
      (most, buffer) => this.open[buffer] ? Math.min(SLOTS_AT_ONCE, most - this.first[buffer]) : 0);
  }
  /* Of a row with cells of that width. */
  widthOf(cell) {
    const gap = this.gapOf(cell);
    return this.widths().filter(width => width)
      .reduce((sum, width) => sum + PART_GAP + Math.max(LEAST_PART, width * (cell + gap) - gap),
        NAME_WIDTH);
  }
  gapOf(cell) {
    return cell < this.lettered ? 1 : 2;
  }
  /* Cells as large as there is room for: of what is around them alone, so that a scroll bar that
   * comes or goes changes nothing. */
  fit() {
    const rows = [...this.rows.values()].filter(row => !row.hidden).length;
    if (!this.scroll.clientWidth) return;
    let laid = this.layOut(rows, 0);
    if (laid.overflows) laid = this.layOut(rows, SCROLL_BAR);
    const { cell, tiny, height, rowGap } = laid;
    this.every = Math.ceil(13 / (height + rowGap));
    const sizes = { cell, row: height, gap: this.gapOf(cell), "row-gap": rowGap };
    for (const [name, value] of Object.entries(sizes))
      this.grid.style.setProperty(`--${name}`, `${value}px`);
    /* Where there is no room below it, which chunk it is stands beside. */
    const beside = height < 30, letters = 1 + String(this.model.data.schedule.chunks - 1).length;
    const chunked = !tiny && (!beside || cell >= this.lettered + letters * LETTER);
    this.grid.classList.toggle("narrow", cell < 30);
    this.grid.classList.toggle("chunked", chunked && this.model.reduces);
    this.grid.classList.toggle("beside", beside);
    for (const part of this.grid.querySelectorAll(".grid-names .grid-part"))
      part.classList.toggle("unranged", part.clientWidth < 110);
    let shown = 0;
    for (const row of this.rows.values())
      if (!row.hidden) row.classList.toggle("unnamed", shown++ % this.every !== 0);
    this.enlarge.hidden = !tiny && !this.large;
    if (tiny === this.tiny) return this.showLegend();
    this.tiny = tiny;
    this.barOf.clear();
    return this.showAll();
  }
  /* How large cells and rows are, with so much of the width for a scroll bar. */
  layOut(rows, bar) {
    const room = this.scroll.offsetWidth - 24 - bar;
    let cell = WIDEST_CELL;
    while (cell > LEAST_CELL && this.widthOf(cell) > room) cell--;
    if (this.large) cell = Math.max(cell, this.lettered);
    const tiny = cell < this.lettered, many = tiny && rows > 24;
    this.grid.classList.toggle("tiny", tiny);
    const space = this.scroll.offsetHeight - this.grid.firstChild.offsetHeight - (many ? 14 : 10);
    const each = Math.floor(space / Math.max(1, rows));
    const rowGap = many ? 1 : rows > 12 || each < 26 ? 2 : 4;
    const least = many ? LEAST_CELL : tiny ? 14 : 18;
    return { cell, tiny, rowGap, height: Math.max(least, Math.min(44, each - rowGap)),
      overflows: each - rowGap < least };
  }

  build() {
    const { model } = this, rows = [this.heading()];
    this.enlarge = element("button", { class: "toggle", text: "letters",
      title: "cells large enough to read", "aria-pressed": String(this.large),
      hidden: true, onclick: () => { this.large = !this.large; this.build(); this.showAll(); } });
    const toggles = BUFFERS.map((name, buffer) => element("button", { class: "toggle", text: name,
      "aria-pressed": String(this.open[buffer]), hidden: !this.most[buffer], onclick: () => {
        this.open[buffer] = !this.open[buffer];
        this.build();
        this.showAll();
      } }));
    const title = element("span", { class: "facts", text: "slots",
      hidden: !this.most.some(most => most) });
    this.tools.replaceChildren(title, ...toggles, this.enlarge);
    this.cells.clear();
    this.kinds.clear();
    this.seen.clear();
    this.rows = new Map();
    for (const rank of model.shown) {
      const row = element("div", { class: "grid-row", role: "row" }, element("button", {
        class: "row-name",
        role: "rowheader",
        text: String(rank),
        title: `rank ${rank}: show its tasks`,
        tabindex: "-1",
        onclick: () => this.page.focusRank(rank)
      }));
      this.widths().forEach((width, buffer) => {
        if (!width) return;
        const part = element("div", { class: "grid-part", role: "presentation" });
        for (let i = 0; i < width; i++)
          part.append(this.makeCell(rank, buffer, this.first[buffer] + i));
        row.append(part);
      });
      rows.push(row);
      this.rows.set(rank, row);
    }
    this.grid.replaceChildren(...rows);
    this.showFilter();
  }
  /* Names of buffers, and below them the numbers of slots where there is room for them. */
  heading() {
    const names = element("div", { class: "grid-row grid-names", role: "row" },
      element("span", { class: "row-name", role: "columnheader", text: "rank" }));
    const numbers = element("div", { class: "grid-row grid-numbers", "aria-hidden": "true" },
      element("span", { class: "row-name" }));
    this.widths().forEach((width, buffer) => {
      if (!width) return;
      const part = element(
              "div", { class: "grid-part", role: "columnheader", style: { "--columns": width } }),
            most = this.most[buffer], first = this.first[buffer];
      part.append(element("span", {
        class: "part-name",
        text:
          BUFFERS[buffer] + (buffer === 0 && this.model.data.schedule.in_place ? " = output" : "")
      }));
      if (most > SLOTS_AT_ONCE) {
        const turn = by => () => {
          this.first[buffer] = Math.max(0, Math.min(most - 1, first + by * SLOTS_AT_ONCE));
          this.build();
          this.showAll();
        };
        part.append(element("button", {
          class: "turn",
          text: "‹",
          "aria-label": "earlier slots",
          onclick: turn(-1),
          disabled: first === 0
        }),
          element(
            "span", { class: "part-range", text: `${first}–${first + width - 1} of ${most}` }),
          element("button", {
            class: "turn",
            text: "›",
            "aria-label": "later slots",
            onclick: turn(1),
            disabled: first + width >= most
          }));
      } else if (width > 1)
        part.append(element("span", { class: "part-range", text: `0–${width - 1}` }));
      names.append(part);
      numbers.append(element("div", { class: "grid-part", style: { "--columns": width } },
        ...Array.from({ length: width },
          (_, i) => element("span", { class: "slot-number", text: String(first + i) }))));
    });
    return element("div", { class: "grid-head", role: "presentation" }, names, numbers);
  }
  makeCell(rank, buffer, slot) {
    const cell = this.model.cell(rank, buffer, slot);
    if (cell === NONE) return element("span", { class: "cell none", role: "presentation" });
    const node = element(
      "span", { class: "cell", role: "gridcell", "data-slot": `${rank} ${buffer} ${slot}` });
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
    this.grid.classList.toggle(
      "flood", this.tiny && model.firstWrite[fresh[1]] - model.firstWrite[fresh[0]] > 300);
    for (const cell of cells) if (this.cells.has(cell)) this.showCell(cell);
    this.showChosen();
  }
  /* Its colour is the phase that wrote it; the line below has a mark for every shard in it. */
  showCell(cell) {
    const { model } = this, tree = model.contents(cell), kind = model.kindOf(cell);
    const writer = model.writerOf(cell), chunk = model.chunkIn(cell);
    const fresh = writer >= 0 && this.page.isFresh(writer);
    const faint = writer >= 0 && !this.page.hasPhase(writer);
    const witness = writer >= 0 && model.witnesses.has(writer);
    this.count(cell, [kind, fresh && !witness && "fresh", witness && "witness",
      writer >= 0 && tree >= 0 && model.phase[writer] >= 0 && "coloured"]);
    for (const node of this.cells.get(cell)) {
      node.className = `cell ${kind}` + (fresh ? " fresh" : "") + (faint ? " faint" : "")
        + (witness ? " witness" : "");
      node.textContent = model.letters(cell);
      if (tree >= 0 && model.reduces) node.dataset.chunk = `c${chunk}`;
      else delete node.dataset.chunk;
      node.style.background = tree < 0 ? "" : this.ground(kind, tree, writer);
    }
  }
  /* The marks, and behind them the colour: stronger: more of the sum is in it. */
  ground(kind, tree, writer) {
    const { model, tiny } = this, marks = model.reduces && !tiny ? `${this.bar(tree)},` : "";
    if (kind === "twice") return `${marks}var(--bad-ground)`;
    if (writer < 0) return `${marks}var(--cell-input)`;
    const share = Math.min(1, (model.trees.leaves[tree] - 1) / Math.max(1, model.nshard - 1));
    /* What is small must be stronger to be seen. */
    const part = !model.reduces ? 0.5 : tiny ? 0.3 + 0.7 * share : share;
    return marks + colours.shade(model.data.phases, model.phase[writer], part);
  }
  /* How many cells in sight are of each kind. */
  count(cell, kinds) {
    for (const kind of this.kinds.get(cell) || []) this.seen.set(kind, this.seen.get(kind) - 1);
    this.kinds.set(cell, kinds.filter(kind => kind));
    for (const kind of this.kinds.get(cell)) this.seen.set(kind, (this.seen.get(kind) || 0) + 1);
  }
  /* A cell of a kind that is in sight, just written if there is one. */
  exampleOf(kind) {
    let found = NONE;
    for (const [cell, kinds] of this.kinds) {
      if (kinds[0] !== kind) continue;
      if (kinds.includes("fresh")) return cell;
      if (found === NONE) found = cell;
    }
    return found;
  }
  /* Only of what is seen now. While it plays examples stay. */
  showLegend() {
    const { model, tiny, page } = this, inSight = kind => this.seen.get(kind) > 0;
    const marks = ["coloured", "fresh", "witness"].filter(inSight);
    const kinds = Object.keys(KIND_WORDS).filter(inSight).map(kind => [kind, this.exampleOf(kind)]);
    const sums = kinds.filter(([kind]) => ["own", "sum", "whole", "twice"].includes(kind));
    const chunked = sums.length && this.grid.classList.contains("chunked");
    const chunk = chunked ? model.chunkIn(sums[0][1]) : NONE;
    if (page.slot && this.nodeOf(page.slot)) marks.push("chosen");
    const examples = kinds.map(([kind, cell]) => page.playing ? kind : model.letters(cell) + kind);
    const ofChunk = page.playing ? chunk >= 0 : chunk;
    const now = [tiny, page.isAtFault(), ofChunk, ...examples, ...marks].join();
    if (now === this.shownLegend) return;
    this.shownLegend = now;
    const items = tiny && model.reduces
      ? [["graded", "", "stronger: more of the sum is in it"]] : [];
    for (const [kind, cell] of kinds)
      if (!tiny || kind === "empty" || kind === "unknown" || kind === "twice")
        items.push([kind, tiny ? "" : model.letters(cell), KIND_WORDS[kind](model,
          model.contents(cell), model.chunkIn(cell))]);
    if (chunk >= 0) items.push(["bare", `c${chunk}`, `of chunk ${chunk}`]);
    const words = { coloured: "colour: the phase that wrote it", fresh: "just written",
      witness: "written by a task at fault",
      chosen: page.isAtFault() ? "the slot at fault" : "chosen" };
    this.legend.replaceChildren(...items.map(([kind, letters, text]) => this.key(kind, letters,
      text)),
      ...marks.map(mark => this.key(mark, "", words[mark])));
  }
  key(kind, letters, words) {
    return element("span", { class: "key", "data-kind": kind },
      element("span", { class: `key-cell ${kind}`, text: letters, "aria-hidden": "true" }), words);
  }
  /* What lies where the pointer is, in words. */
  pointAt(node) {
    this.tip.hidden = !node;
    if (!node) return;
    const [rank, buffer, slot] = node.dataset.slot.split(" ").map(Number), { model } = this;
    this.tip.textContent = model.slotWords(rank, buffer, slot);
    const bounds = this.box.getBoundingClientRect(), at = node.getBoundingClientRect();
    const below = at.bottom - bounds.top + 6,
      { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = Math.min(at.left - bounds.left, bounds.width - width - 4);
    const top = below + height < bounds.height ? below : at.top - bounds.top - height - 6;
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${top}px`;
  }
  /* A mark for every shard, or of many how large a part they are. */
  bar(tree) {
    const { trees, nshard } = this.model;
    let bar = this.barOf.get(tree);
    if (bar) return bar;
    const stops = [], ink = "var(--bar)";
    const mark = (from, to) =>
      stops.push(`transparent ${from}%`, `${ink} ${from}% ${to}%`, `transparent ${to}%`);
    if (nshard > MOST_MARKS) mark(0, 100 * trees.leaves[tree] / nshard);
    else
      for (const shard of leavesOf(trees, tree))
        mark(100 * shard / nshard, 100 * (shard + (nshard > 16 ? 1 : 0.86)) / nshard);
    bar = `linear-gradient(90deg,${stops.join(",")}) left bottom/100% 4px no-repeat`;
    this.barOf.set(tree, bar);
    return bar;
  }

  choose(node) {
    if (node) this.page.chooseSlot(...node.dataset.slot.split(" ").map(Number));
  }
  nodeOf([rank, buffer, slot]) {
    return (this.cells.get(this.model.cell(rank, buffer, slot)) || [])
      .find(node => node.dataset.slot === `${rank} ${buffer} ${slot}`);
  }
  showChosen() {
    this.grid.querySelectorAll(".chosen").forEach(node => {
      node.classList.remove("chosen");
      node.removeAttribute("aria-selected");
      node.removeAttribute("id");
    });
    const node = this.page.slot && this.nodeOf(this.page.slot);
    this.showLegend();
    if (!node) return this.grid.removeAttribute("aria-activedescendant");
    node.classList.add("chosen");
    dress(node, { "aria-selected": "true", id: "slot-chosen",
      "aria-label": this.model.slotWords(...this.page.slot) });
    this.grid.setAttribute("aria-activedescendant", "slot-chosen");
  }
  /* Arrows go from slot to slot while the grid has the focus. */
  walk(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!ways[event.key] || event.target !== this.grid || event.altKey || event.ctrlKey ||
      event.metaKey)
      return;
    event.preventDefault();
    event.stopPropagation();
    const [aside, down] = ways[event.key];
    const rows = [...this.rows.values()]
                   .filter(row => !row.hidden)
                   .map(row => [...row.querySelectorAll(".cell")]);
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
      panel.replaceChildren(element("p", { class: "hint",
        text: "Choose a slot to see its reduction tree and the tasks that wrote it." }));
      return;
    }
    const [rank, buffer, slot] = page.slot, cell = model.cell(rank, buffer, slot),
                         tree = model.contents(cell), chunk = model.chunkIn(cell);
    const demanded = buffer === 1 ? model.memory.get(rank).outputChunk[slot] : NONE;
    const facts = [model.words(cell, false)];
    if (demanded >= 0) facts.push(`at the end it is to hold chunk ${demanded}`);
    const parts = [
      element("h3", { text: `Rank ${rank}, ${BUFFERS[buffer]} slot ${slot}` }),
      element("p", { class: "facts", text: facts.join(" · ") }),
      element("p", { class: "expression", id: "slot-tree", text: model.treeText(tree, chunk) })
    ];
    if (model.reduces && tree >= 0) parts.push(element("div", { class: "tree-box", tabindex: "0",
      "aria-label": "the tree as a picture" }, treePicture(model, tree)));
    if (tree >= 0 && model.trees.leaves[tree] > 64)
      parts.push(element("p", {
        class: "hint",
        text: "Abbreviated above 64 leaves; a round leaf stands for several shards."
      }));
    parts.push(element("h4", { text: "How it came there" }), this.historyList(cell));
    panel.replaceChildren(...parts);
  }
  historyList(cell) {
    const { model, page } = this, list = element("ol", { class: "history" });
    const initial = model.initial[cell];
    list.append(element("li", { class: model.state[cell] < 0 ? "now" : "" },
      element("span", { class: "when", text: "start" }), element("span", {
        text: initial < 0 ? "nothing" : model.treeText(initial, model.initialChunk[cell], 16)
      })));
    for (const write of model.history(cell)) {
      const task = model.order[model.writeStep[write] - 1];
      list.append(element("li",
        { class: write === model.state[cell] ? "now"
            : write > model.state[cell]      ? "later"
                                             : "" },
        element("button", {
          class: "when",
          text: `step ${model.writeStep[write]}`,
          title: "go there",
          onclick: () => {
            page.go(model.writeStep[write]);
            page.chooseTask(task, false);
          }
        }),
        element("span", { text: `${KINDS[model.kind[task]]} by rank ${model.rankOf[task]}` }),
        element("span", {
          class: "expression",
          text: model.treeText(model.writeTree[write], model.writeChunk[write], 16)
        })));
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
    else
      for (let i = 0; i < trees.leaves[node]; i++)
        leaves.push(Math.min(trees.high[node], trees.low[node] + i));
  }
  return leaves.sort((a, b) => a - b);
}
