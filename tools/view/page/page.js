/* page.js - where the page is in the schedule, what is chosen, and which parts follow it. */

class Page {
  constructor(model) {
    this.model = model;
    this.step = 0;
    this.time = 0;
    this.unit = "moment";
    this.speed = 1;
    this.playing = false;
    this.rank = model.shown[0];
    this.task = NONE;
    this.slot = null;
    this.ranks = null; /* a Set: the filter */
    this.phases = null; /* [first, end) */
    this.flash = { task: NONE, since: 0 };
    this.fresh = [0, 0]; /* steps (from, to] that were taken last */
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    colours.read();
    this.fault = model.fault();
    model.seek(this.fault ? this.fault.step : model.stepAt(model.middle()));
    this.stage = new Stage(this, find("stage"));
    this.buffers = new Buffers(this, find("buffers"));
    this.tasks = new Tasks(this, find("tasks"));
    this.strip = new Strip(this, find("strip"));
    this.search = new Search(this, find("search"), find("results"));
    this.proof = new Proof(this, find("proof"));
    this.head();
    this.controls();
    this.keys();
    this.tasks.build();
    this.buffers.showAll();
    this.stage.showFilter();
    this.showTab(model.data.verdict.proved ? "tasks" : "proof");
    this.open();
    this.readAddress();
    this.show();
  }

  /* What is in and what is out. */
  hasRank(rank) {
    return !this.ranks || this.ranks.has(rank);
  }
  hasPhase(task) {
    const phase = this.model.phase[task];
    return !this.phases || (phase >= this.phases[0] && phase < this.phases[1]);
  }
  hasTask(task) {
    const { model } = this;
    return this.hasPhase(task) &&
      (this.hasRank(model.rankOf[task]) ||
        (model.kind[task] >= SEND && this.ranks !== null && this.ranks.has(model.peer[task])));
  }
  isFresh(task) {
    const at = this.model.doneAt[task];
    return at > this.fresh[0] && at <= this.fresh[1];
  }

  /* It opens at the first finding; of what has none in the middle, with data in flight. */
  open() {
    if (!this.fault) return this.goTo(this.model.middle());
    this.go(this.fault.step);
    if (this.fault.tasks.length) this.chooseTask(this.fault.tasks[0], false);
    this.slot = this.fault.slot;
    this.buffers.showChosen();
    return undefined;
  }
  isAtFault() {
    return this.fault !== null && this.step === this.fault.step && !this.isBetween();
  }
  /* After the last step that is done, and before the next is. */
  isBetween() {
    return this.time > this.model.timeAt(this.step);
  }

  /* Going. */
  goTo(time) {
    this.go(this.model.stepAt(time), time);
  }
  go(step, time, whole = false) {
    const from = this.model.step, to = Math.max(0, Math.min(this.model.nstep, step)),
          changed = new Set();
    const before = this.fresh;
    this.fresh = [to > from && (whole || to === from + 1) ? from : this.momentBefore(to), to];
    /* What was new is new no more. */
    for (const [first, end] of [before, this.fresh])
      for (let i = this.model.firstWrite[first]; i < this.model.firstWrite[end]; i++)
        changed.add(this.model.writeCell[i]);
    this.model.seek(to, cell => changed.add(cell));
    this.step = to;
    this.time = time ?? this.model.timeAt(to);
    this.buffers.showCells(changed);
    if (from !== to) this.animateFrom = performance.now();
    this.show();
  }
  momentBefore(step) {
    return step ? Model.before(this.unit === "task" ? [step - 1, step] : this.model.moments, step)
                : 0;
  }
  forward() {
    this.stop();
    this.go(this.unit === "task"
        ? this.step + 1
        : Model.after(this.unit === "phase" ? this.model.phaseEnds : this.model.moments, this.step),
      undefined, true);
  }
  back() {
    this.stop();
    if (this.isBetween()) this.go(this.step);
    else if (this.unit === "task") this.go(this.step - 1);
    else if (this.unit === "phase") this.go(Model.before(this.model.phaseEnds, this.step));
    else this.go(Model.before(this.model.moments, this.step));
  }
  play() {
    if (this.playing) return this.stop();
    if (this.step === this.model.nstep) this.go(0);
    this.playing = true;
    this.lastFrame = null;
    this.showPlaying();
    requestAnimationFrame(now => this.frame(now));
    return undefined;
  }
  stop() {
    if (!this.playing) return;
    this.playing = false;
    this.showPlaying();
    this.show();
  }
  /* At speed 1 all of it takes as long as it is worth watching: half a second a moment, 6 to 40
   * seconds. */
  frame(now) {
    if (!this.playing) return;
    const whole = 1000 * Math.max(6, Math.min(40, this.model.moments.length * 0.5)) / this.speed,
          all = this.strip.ticks();
    if (this.lastFrame !== null) {
      const last = this.model.timeAt(this.model.nstep),
            time = Math.min(last, this.time + (now - this.lastFrame) / whole * all);
      const step = time >= last ? this.model.nstep : this.model.stepAt(time);
      if (step !== this.step) this.go(step, time, true);
      else {
        this.time = time;
        this.showFlight();
        this.strip.showTime();
      }
      if (step === this.model.nstep) return this.stop();
    }
    this.lastFrame = now;
    requestAnimationFrame(next => this.frame(next));
    return undefined;
  }

  /* Showing. */
  show() {
    this.stage.showProgress();
    this.showFlight();
    this.strip.showTime();
    this.tasks.follow();
    this.showWhere();
    if (!find("slot").hidden) this.buffers.describe(find("slot"));
    find("back").disabled = find("first").disabled = this.step === 0;
    find("forward").disabled = find("last").disabled = this.step === this.model.nstep;
  }
  /* What is in progress at this time. */
  inProgress() {
    const { model, time } = this, moves = [];
    for (let task = 0; task < model.ntask; task++) {
      const begin = model.begin[task], end = model.end[task];
      if (begin <= time && time < end && !model.isStopped(task))
        moves.push({ task, at: (time - begin) / (end - begin) });
    }
    return moves;
  }
  /* Between two steps what is in progress; after a step what it moved, gliding to its place. */
  showFlight() {
    const { model } = this, moves = [];
    if (this.playing || this.isBetween()) return this.stage.showMoves(this.inProgress());
    const age = this.calm || !this.animateFrom
      ? 1
      : Math.min(1, (performance.now() - this.animateFrom) / 420);
    const [first, end] = this.fresh, glide = 0.08 + 0.7 * (1 - (1 - age) ** 3);
    for (let i = Math.max(first, end - 6000); i < end; i++)
      moves.push({ task: model.order[i], at: glide });
    if (this.isAtFault())
      for (const task of this.fault.tasks)
        if (!this.isFresh(task) && model.isDone(task)) moves.push({ task, at: glide });
    this.stage.showMoves(moves);
    if (age < 1 && !this.gliding) {
      this.gliding = true;
      requestAnimationFrame(() => { this.gliding = false; if (!this.playing) this.showFlight(); });
    }
    return undefined;
  }
  timeText(ticks) {
    const { time } = this.model.data;
    return time.predicted ? secondsText(ticks * time.tick)
                          : `round ${+ (ticks * time.tick).toFixed(2)}`;
  }
  whereText() {
    return `step ${this.step} of ${this.model.nstep}, ${this.timeText(this.time)} of ${
      this.timeText(this.model.timeAt(this.model.nstep))}`;
  }
  showWhere() {
    const { model } = this, [first, end] = this.fresh;
    find("step").textContent =
      `${this.step.toLocaleString("en")} / ${model.nstep.toLocaleString("en")}`;
    find("time").textContent = this.timeText(this.time);
    const caption = find("caption");
    caption.classList.toggle("bad", this.isAtFault());
    if (this.isAtFault()) caption.textContent = this.faultText();
    else if (this.isBetween() && !this.playing) caption.textContent = this.inProgressText();
    else if (!this.step)
      caption.textContent = "Nothing has happened yet: every rank holds its own input.";
    else if (end - first === 1) caption.textContent = this.sentence(model.order[first]);
    else caption.textContent = this.countText(model.order.subarray(first, end));
    if (this.step === model.nstep && model.nstep < model.ntask)
      caption.textContent =
        `Here it is stuck: ${plural(model.data.verdict.stopped.length, "stream")} never end${
          model.data.verdict.stopped.length === 1 ? "s"
                                                  : ""}. Red lines lead to who is waited for.`;
  }
  /* `6 SendReduce, 5 Notify · phase, phase` */
  countText(tasks) {
    const { model } = this, counts = new Map(), phases = new Set();
    for (const task of tasks) {
      counts.set(model.kind[task], (counts.get(model.kind[task]) || 0) + 1);
      if (model.kind[task] < NOTIFY) phases.add(model.phaseName(task));
    }
    const names = [...phases].filter(name => name);
    const kinds = [...counts].sort((a, b) => a[0] - b[0]);
    return kinds.map(([kind, count]) => `${count} ${KINDS[kind]}`).join(", ") +
      (names.length ? ` · ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}` : "");
  }
  inProgressText() {
    const tasks = this.inProgress().map(({ task }) => task);
    return tasks.length ? `In progress: ${this.countText(tasks)}`
      : "Between two steps: nothing is in progress.";
  }
  faultText() {
    const { finding, tasks } = this.fault, most = 2;
    const begin = `At fault, ${finding.rule}:`;
    /* Of two accesses, or one that is wrong, the tasks say most; else the finding does. */
    if (!["R8", "R9", "R10"].includes(finding.rule) || !tasks.length)
      return `${begin} ${finding.text.split("\n")[0]}.`;
    const more = tasks.length > most ? [`And ${plural(tasks.length - most, "task")} more.`] : [];
    return [begin, ...tasks.slice(0, most).map(task => this.sentence(task)), ...more].join(" ");
  }
  sentence(task) {
    const { model } = this, rank = model.rankOf[task], peer = model.peer[task],
                  data = model.chunksText(task);
    const source = model.slotsText(model.src[task], model.count[task]),
          target = model.slotsText(model.dst[task], model.count[task]);
    return [
      () => `Rank ${rank} copies ${data} from ${source} to ${target}.`,
      () => `Rank ${rank} adds ${data} from ${source} to ${target}.`,
      () => `Rank ${rank} sends ${data} from ${source} to ${target} of rank ${peer}.`,
      () => `Rank ${rank} adds ${data} from ${source} to ${target} of rank ${peer}.`,
      () => `Rank ${rank} notifies rank ${peer}, signal ${model.chunk[task]}.`,
      () => `Rank ${rank} has waited for rank ${peer}, signal ${model.chunk[task]}.`
    ][model.kind[task]]();
  }
  showPlaying() {
    dress(find("play"),
      { "aria-label": this.playing ? "pause" : "play", "aria-pressed": String(this.playing) });
    find("play").classList.toggle("playing", this.playing);
  }

  /* Choosing. */
  focusRank(rank, show = true) {
    this.rank = rank;
    this.tasks.build();
    this.stage.showFilter();
    this.buffers.showFilter();
    if (show) this.showTab("tasks");
  }
  chooseTask(task, jump) {
    this.task = task;
    this.taskWasChosen = true;
    const rank = this.model.rankOf[task];
    if (jump) {
      this.flash = { task, since: performance.now() };
      this.showTab("tasks");
    }
    if (rank !== this.rank && this.model.isShown.has(rank)) this.focusRank(rank, jump);
    else this.tasks.draw();
    this.tasks.reveal(task, jump);
    const row = jump && find("tasks").querySelector(`[data-task="${task}"]`);
    if (row) row.closest(".long").focus({ preventScroll: true });
  }
  chooseSlot(rank, buffer, slot) {
    this.slot = [rank, buffer, slot];
    this.buffers.showChosen();
    this.showTab("slot");
    this.buffers.describe(find("slot"));
  }
  showTab(name) {
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const chosen = tab.dataset.tab === name;
      dress(tab, { "aria-selected": String(chosen), tabindex: chosen ? "0" : "-1" });
      find(tab.dataset.tab).hidden = !chosen;
    }
    if (name === "slot") this.buffers.describe(find("slot"));
    if (name === "tasks") this.tasks.follow();
  }
  filter() {
    const words = find("ranks").value.trim();
    const ranks = readRanks(words, this.model.data.schedule.ranks);
    dress(find("ranks"), { "aria-invalid": String(words !== "" && !ranks) });
    this.ranks = ranks;
    const [first, end] = find("phases").value.split(" ").map(Number);
    this.phases = find("phases").value ? [first, end] : null;
    this.stage.showFilter();
    this.buffers.showFilter();
    this.buffers.showAll();
    this.tasks.draw();
    this.strip.draw();
    this.showFlight();
    if (find("search").value) this.search.ask();
    find("unfilter").hidden = !this.ranks && !this.phases;
  }

  /* Making. */
  head() {
    const { data } = this.model, { schedule, verdict, shown } = data;
    find("operator").textContent = schedule.operator;
    find("algorithm").textContent = schedule.algorithm;
    const facts = [
      plural(schedule.ranks, "rank"),
      ...(schedule.root !== undefined ? [`root ${schedule.root}`] : []),
      ...(schedule.shards ? [`${schedule.shards} shards`] : []), plural(schedule.tasks, "task"),
      plural(schedule.streams, "stream"), ...this.onWhat(),
      ...(data.time.predicted
          ? [`${secondsText(data.time.total)} for ${bytesText(data.time.bytes)}${
              data.tasks.elements ? ", blocks of unequal sizes" : ""}`]
          : ["times not predicted: moves are counted"])
    ];
    find("facts").textContent = facts.join("  ·  ");
    const badge = find("verdict");
    const rule = verdict.findings[0] && verdict.findings[0].rule;
    badge.textContent = verdict.proved ? "Proved" : `Refuted${rule ? `: ${rule}` : ""}`;
    badge.className = `badge ${verdict.proved ? "good" : "bad"}`;
    badge.addEventListener("click", () => this.showTab("proof"));
    const sample = find("sample");
    sample.hidden = shown.all;
    if (!shown.all)
      sample.textContent =
        `A part of it: ${plural(shown.tasks, "task")} of ${
          schedule.tasks.toLocaleString("en")}, those of ${shown.ranks.length} of ${
          plural(schedule.ranks, "rank")} (${rangesText(shown.ranks)})` +
        `${
          shown.incoming ? ` and ${plural(shown.incoming, "move")} that come${
                             shown.incoming === 1 ? "s" : ""} in from others`
                         : ""}${
          shown.all_tasks
            ? ""
            : ", the earliest of them"}. The verdict is on the whole. Others: ordo view --ranks.`;
    find("command").textContent = data.command;
    find("version").textContent = `ordo ${data.version}`;
    /* Only phases that some task shown is in. */
    const inUse = new Set(this.model.phase);
    const families = data.phases.families
      .filter(({ first, end }) => [...inUse].some(phase => phase >= first && phase < end));
    find("legend").replaceChildren(
      ...families.map(family => element("button", {
        class: "phase",
        title: `only the phase ${family.text}`,
        style: { "--from": "", "--to": "" },
        "data-family": `${family.first} ${family.end}`,
        onclick: () => this.togglePhase(`${family.first} ${family.end}`)
      },
                        element("span", { class: "swatch" }), family.text)));
    this.paintLegend();
    const select = find("phases");
    for (const { first, end, text } of families)
      select.append(element("option", { value: `${first} ${end}`, text }));
    if (families.length < [...inUse].filter(phase => phase >= 0).length
      && data.phases.names.length <= 400) {
      const group = element("optgroup", { label: "one by one" });
      data.phases.names.forEach((name, i) => {
        if (inUse.has(i)) group.append(element("option", { value: `${i} ${i + 1}`, text: name }));
      });
      select.append(group);
    }
    select.disabled = !data.phases.names.length;
  }
  /* On what it runs, and what of that is down; both directions are one. */
  onWhat() {
    const { topology } = this.model.data,
                     down = new Set(this.model.links.filter(link => link[3]).map(([from,
                       to]) => `${Math.min(from, to)} ${Math.max(from, to)}`))
                              .size;
    return topology
      ? [(topology.name || "a topology") + (down ? `, ${plural(down, "link")} down` : "")]
      : [];
  }
  paintLegend() {
    const { phases } = this.model.data;
    for (const item of find("legend").children) {
      const [first, end] = item.dataset.family.split(" ").map(Number);
      item.firstChild.style.background =
        `linear-gradient(90deg, ${colours.line(phases, first)}, ${colours.line(phases, end - 1)})`;
    }
  }
  togglePhase(value) {
    find("phases").value = find("phases").value === value ? "" : value;
    this.filter();
  }

  controls() {
    const press = (id, action) => find(id).addEventListener("click", action);
    press("first", () => { this.stop(); this.go(0); });
    press("back", () => this.back());
    press("play", () => this.play());
    press("forward", () => this.forward());
    press("last", () => { this.stop(); this.go(this.model.nstep); });
    press("theme", () => this.turnTheme());
    press("help", () => find("keys").showModal());
    press("keys-close", () => find("keys").close());
    press("unfilter", () => {
      find("ranks").value = "";
      find("phases").value = "";
      this.filter();
    });
    for (const unit of document.querySelectorAll("[data-unit]"))
      unit.addEventListener("click", () => this.setUnit(unit.dataset.unit));
    find("speed").addEventListener("change", event => { this.speed = Number(event.target.value); });
    find("ranks").addEventListener("input", () => this.filter());
    find("phases").addEventListener("change", () => this.filter());
    const tabs = [...document.querySelectorAll("[role=tab]")];
    tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => this.showTab(tab.dataset.tab));
      tab.addEventListener("keydown", event => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        const next = tabs[(i + by + tabs.length) % tabs.length];
        this.showTab(next.dataset.tab);
        next.focus();
        event.preventDefault();
        event.stopPropagation();
      });
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
    matchMedia("(prefers-reduced-motion: reduce)").addEventListener("change", event => {
      this.calm = event.matches;
    });
    addEventListener("hashchange", () => this.readAddress());
    addEventListener("beforeprint", () => this.dressForPaper(true));
    addEventListener("afterprint", () => this.dressForPaper(false));
    this.setUnit(this.unit);
  }
  setUnit(unit) {
    this.unit = unit;
    for (const button of document.querySelectorAll("[data-unit]"))
      button.setAttribute("aria-pressed", String(button.dataset.unit === unit));
  }
  turnTheme(theme) {
    document.documentElement.dataset.theme = theme || (colours.dark ? "light" : "dark");
    this.repaint();
  }
  repaint() {
    colours.read();
    this.paintLegend();
    this.buffers.showAll();
    this.tasks.draw();
    this.strip.draw();
    this.show();
  }
  dressForPaper(paper) {
    const root = document.documentElement, { theme } = root.dataset;
    if (paper === root.classList.contains("paper")) return;
    root.classList.toggle("paper", paper);
    if (paper) root.dataset.theme = "light";
    else if (this.screenTheme) root.dataset.theme = this.screenTheme;
    else delete root.dataset.theme;
    this.screenTheme = theme;
    this.buffers.fit();
    this.repaint();
  }
  keys() {
    document.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey ||
        event.target.closest("input, select, dialog[open]"))
        return;
      const onButton = event.target.closest("button");
      const actions = {
        ArrowRight: () => this.forward(),
        ArrowLeft: () => this.back(),
        Home: () => {
          this.stop();
          this.go(0);
        },
        End: () => {
          this.stop();
          this.go(this.model.nstep);
        },
        "/": () => find("search").focus(),
        "?": () => find("keys").showModal(),
        1: () => this.setUnit("task"),
        2: () => this.setUnit("moment"),
        3: () => this.setUnit("phase"),
        d: () => this.turnTheme(),
        " ": onButton ? null : () => this.play(),
        Escape: () => {
          this.task = NONE;
          this.slot = null;
          this.buffers.showChosen();
          this.tasks.draw();
          this.show();
        }
      };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }
  /* page.html#step=12&dark&slot=0.1.3 opens there. */
  readAddress() {
    const settings = new URLSearchParams(location.hash.slice(1));
    if (settings.has("dark")) this.turnTheme("dark");
    if (settings.has("step")) this.go(Number(settings.get("step")) || 0);
    if (settings.has("slot")) {
      const [rank, buffer, slot] = settings.get("slot").split(".").map(Number);
      if (this.model.cell(rank, buffer, slot) !== NONE) this.chooseSlot(rank, buffer, slot);
    }
  }
}

/* "0-3,6" -> a Set; null: empty, or not to be understood. */
function readRanks(text, limit) {
  const ranks = new Set();
  for (const part of text.split(",").map(one => one.trim()).filter(one => one)) {
    const found = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!found) return null;
    for (let rank = Number(found[1]); rank <= Math.min(limit - 1, Number(found[2] ?? found[1]));
         rank++)
      ranks.add(rank);
  }
  return ranks.size ? ranks : null;
}
/* [0,1,2,5] -> "0-2,5" */
function rangesText(numbers) {
  const parts = [];
  for (let i = 0, k; i < numbers.length; i = k) {
    for (k = i + 1; k < numbers.length && numbers[k] === numbers[k - 1] + 1;) k++;
    parts.push(k - i === 1 ? numbers[i] : `${numbers[i]}-${numbers[k - 1]}`);
  }
  return parts.join(",");
}

const page = new Page(new Model(JSON.parse(find("data").textContent)));
document.documentElement.dataset.ready = "yes";
