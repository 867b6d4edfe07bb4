/* tasks.js - the streams of a rank as lists of tasks, with a way from every Wait to its Notify; and
 * the search over all. */

const ROW = 26;
const GLYPHS = ["=", "+", "→", "→+", "◆", "◇"];

/* One line of a task: what it is, and the end of its arrow if it has one. */
function taskLine(page, task, withPlace) {
  const { model } = page, kind = model.kind[task], stream = model.streams[model.streamOf[task]];
  const state = model.isStopped(task) && model.step === model.nstep ? "stopped"
    : model.isDone(task)                                            ? "done"
                                                                    : "open";
  const row = element("div", {
    class: `task ${state} kind-${kind}`,
    role: "option",
    id: `task-${task}`,
    "data-task": task,
    "aria-selected": task === page.task ? "true" : "false",
    onclick: () => page.chooseTask(task)
  });
  if (page.isFresh(task)) row.classList.add("fresh");
  if (task === page.task) row.classList.add("chosen");
  const flashing = performance.now() - page.flash.since;
  if (task === page.flash.task && flashing < 1500) {
    row.classList.add("flash");
    row.style.animationDelay = `${-flashing}ms`;
  }
  if (model.witnesses.has(task)) row.classList.add("witness");
  if (!page.hasTask(task)) row.classList.add("faint");
  row.style.setProperty("--phase", colours.line(model.data.phases, model.phase[task]));
  const number = model.numberOf(task);
  row.append(
    element("span",
      { class: "number", text: withPlace ? `${stream.rank} ${stream.name}` : String(number) }),
    element("span", { class: "glyph", text: GLYPHS[kind], "aria-hidden": "true" }),
    element("span", { class: "words", text: model.taskText(task), title: model.taskText(task) }));
  const other = kind === WAIT ? model.notify[task] : kind === NOTIFY ? model.waiter[task] : NONE;
  if (other >= 0) {
    const word = kind === WAIT ? "Notify" : "Wait";
    row.append(element("button", {
      class: "jump",
      tabindex: "-1",
      text: kind === WAIT ? "⟵" : "⟶",
      title: `its ${word}: rank ${model.rankOf[other]}, task ${model.numberOf(other)}`,
      "aria-label": `to its ${word} on rank ${model.rankOf[other]}`,
      onclick: event => {
        event.stopPropagation();
        page.chooseTask(other, true);
      }
    }));
  } else if (kind >= NOTIFY)
    row.append(element("span", {
      class: "jump none",
      title: model.isShown.has(model.peer[task]) ? "it has no other end"
                                                 : "its other end is on a rank that is not shown",
      text: "·"
    }));
  return row;
}

/* So many streams stand one below the other, each with a list of its own; more are one list with
 * headings. */
const FEW_STREAMS = 3;

class Tasks {
  constructor(page, box) {
    this.page = page;
    this.model = page.model;
    this.box = box;
    this.lists = [];
    this.title = element("div", { class: "tasks-head" });
    this.columns = element("div", { class: "streams" });
    box.append(this.title, this.columns);
  }
  /* The streams of the rank that has the focus. */
  build() {
    const { model, page } = this, index = model.shown.indexOf(page.rank),
                        streams = model.streamsOf.get(page.rank);
    const turn = by => () =>
      page.focusRank(model.shown[(index + by + model.shown.length) % model.shown.length]);
    this.title.replaceChildren(
      element(
        "button", { class: "turn", text: "‹", "aria-label": "previous rank", onclick: turn(-1) }),
      element("h3", { text: `Rank ${page.rank}` }),
      element("button", { class: "turn", text: "›", "aria-label": "next rank", onclick: turn(1) }),
      element("span", {
        class: "facts",
        text: plural(streams.reduce((sum, stream) => sum + stream.end - stream.first, 0), "task") +
          (streams.length > 1 ? ` in ${streams.length} streams` : "")
      }));
    this.columns.replaceChildren();
    this.lists = streams.length <= FEW_STREAMS ? streams.map(stream => this.makeList([stream]))
                                               : [this.makeList(streams)];
    this.follow();
  }
  /* Rows are tasks, and where there are several streams a heading before each. */
  makeList(streams) {
    const headed = streams.length > 1, name = headed ? "all streams" : streams[0].name;
    const box = element("div", {
      class: "long",
      tabindex: "0",
      role: "listbox",
      "aria-label": `tasks of rank ${this.page.rank}, ${name}`
    });
    const starts = [];
    let count = 0;
    for (const stream of streams) {
      starts.push(count);
      count += stream.end - stream.first + (headed ? 1 : 0);
    }
    const rowOf = task => {
      const i = streams.findIndex(stream => task >= stream.first && task < stream.end);
      return i < 0 ? NONE : starts[i] + task - streams[i].first + (headed ? 1 : 0);
    };
    const list = new LongList(box, ROW, row => {
      let i = starts.length - 1;
      while (starts[i] > row) i--;
      if (headed && row === starts[i])
        return element("h4", { class: "task-heading", text: streams[i].name });
      return taskLine(this.page, streams[i].first + row - starts[i] - (headed ? 1 : 0), false);
    });
    /* The longest task decides how small letters are: nothing is cut off that fits. */
    let letters = 1;
    for (const stream of streams)
      for (let task = stream.first; task < stream.end; task++) letters = Math.max(letters,
        this.model.taskText(task).length);
    this.columns.append(element("section", { class: "stream", style: { "--letters": String(letters),
      "flex-grow": String(Math.min(count, 20)), "max-height": `${count * ROW + 26}px`,
      "min-height": `${Math.min(count, 3) * ROW + 26}px` } },
      ...(headed ? [] : [element("h4", { text: name })]), box));
    box.addEventListener("keydown", event => this.walk(event, streams));
    Object.assign(list, { streams, rowOf });
    list.show(count);
    return list;
  }
  walk(event, streams) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key], { page, model } = this;
    if (event.key === "Enter" && page.task >= 0) {
      const other =
        model.kind[page.task] === WAIT ? model.notify[page.task] : model.waiter[page.task];
      if (other >= 0) page.chooseTask(other, true);
    }
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const first = streams[0].first, end = streams[streams.length - 1].end;
    page.chooseTask(page.task >= first && page.task < end
        ? Math.max(first, Math.min(end - 1, page.task + by))
        : first);
  }
  /* Keeps the task that each stream is at in sight; of many streams, one that went on. */
  follow() {
    const { model, page } = this;
    for (const list of this.lists) {
      const chosen = page.taskWasChosen ? list.rowOf(page.task) : NONE;
      if (chosen >= 0) list.reveal(chosen);
      else {
        const fresh = list.streams.find(stream => countDone(model, stream) > 0 &&
                          page.isFresh(stream.first + countDone(model, stream) - 1)) ||
          (list.streams.length === 1 ? list.streams[0] : null);
        if (fresh)
          list.reveal(list.rowOf(Math.min(fresh.end - 1, fresh.first + countDone(model, fresh))));
        else list.draw();
      }
    }
    page.taskWasChosen = false;
  }
  draw() {
    for (const list of this.lists) list.draw();
  }
  reveal(task, middle) {
    for (const list of this.lists) if (list.rowOf(task) >= 0) list.reveal(list.rowOf(task), middle);
  }
}

/* All words of the question are in what a task is: `rank 3 wait`, `chunk 7`, `r2 sendreduce scratch
 * 4`. */
class Search {
  constructor(page, input, box) {
    this.page = page;
    this.model = page.model;
    this.input = input;
    this.box = box;
    this.found = [];
    this.at = 0;
    this.count = element("p", { class: "facts", role: "status" });
    this.rows =
      element("div", { class: "long", role: "listbox", id: "found", "aria-label": "tasks found" });
    box.append(this.count, this.rows);
    this.list = new LongList(this.rows, ROW, i => {
      const row = taskLine(page, this.found[i], true);
      row.id = `found-${i}`;
      row.classList.toggle("at", i === this.at);
      return row;
    });
    this.rows.addEventListener("click", event => {
      const row = event.target.closest("[data-task]");
      if (row && !event.target.closest(".jump")) this.take(Number(row.dataset.task));
    });
    input.addEventListener("input", () => this.ask());
    input.addEventListener("focus", () => { if (input.value) this.open(true); });
    input.addEventListener("keydown", event => this.key(event));
    document.addEventListener("pointerdown", event => {
      if (!box.contains(event.target) && event.target !== input) this.open(false);
    });
  }
  open(open) {
    this.box.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
    if (open) this.list.draw();
  }
  ask() {
    const words =
      this.input.value.toLowerCase().replaceAll("->", "→").split(/\s+/).filter(word => word);
    this.found = [];
    this.at = 0;
    if (words.length)
      for (let task = 0; task < this.model.ntask; task++) {
        if (!this.page.hasTask(task)) continue;
        const text = ` ${this.model.searchText(task)} `;
        if (this.matches(text, words)) this.found.push(task);
      }
    this.found.sort((a, b) => this.model.doneAt[a] - this.model.doneAt[b] || a - b);
    this.count.textContent =
      words.length ? `${plural(this.found.length, "task")} found, by time` : "";
    this.list.show(this.found.length);
    this.open(words.length > 0);
    this.page.strip.draw();
  }
  /* A number is a whole number: `rank 1` is not rank 12. Words that stand together in the question
   * do so in the task. */
  matches(text, words) {
    const phrase = words.join(" ");
    const holds = part => {
      for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
        const digitEnds = !/\d$/.test(part) || !/\d/.test(text[at + part.length] || "");
        const digitBegins = !/^\d/.test(part) || !/\d/.test(text[at - 1] || "");
        if (digitEnds && digitBegins) return true;
      }
      return false;
    };
    if (holds(phrase)) return true;
    /* `rank 3 wait` is the parts `rank 3` and `wait`. */
    const parts = [];
    for (const word of words)
      if (/^\d+$/.test(word) && parts.length && !/\d$/.test(parts[parts.length - 1]))
        parts[parts.length - 1] += ` ${word}`;
      else parts.push(word);
    return parts.every(holds);
  }
  take(task) {
    this.open(false);
    this.page.chooseTask(task, true);
    this.page.go(this.model.isStopped(task) ? this.model.nstep : this.model.doneAt[task]);
  }
  key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by && this.found.length) {
      this.at = (this.at + by + this.found.length) % this.found.length;
      this.input.setAttribute("aria-activedescendant", `found-${this.at}`);
      this.list.reveal(this.at);
    } else if (event.key === "Enter" && this.found.length) {
      this.take(this.found[this.at]);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.ask();
      this.input.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
