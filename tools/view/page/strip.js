/* strip.js - all of it at a glance: a row a stream, time to the right; pressed or dragged it goes
 * to that time. */

class Strip {
  constructor(page, box) {
    this.page = page;
    this.model = page.model;
    this.box = box;
    this.still = element("canvas", { class: "strip-still", "aria-hidden": "true" });
    this.line = element("div", { class: "strip-line" });
    this.tip = element("div", { class: "tip", hidden: true });
    dress(box, {
      role: "slider",
      tabindex: "0",
      "aria-label": "time",
      "aria-valuemin": "0",
      "aria-valuemax": String(this.model.nstep)
    });
    box.append(this.still, this.line, this.tip);
    this.left = 34;
    box.addEventListener("pointerdown", event => {
      box.setPointerCapture(event.pointerId);
      this.dragging = true;
      this.press(event);
    });
    box.addEventListener("pointermove", event => {
      if (this.dragging)
        this.press(event);
      else
        this.hover(event);
    });
    box.addEventListener("pointerup", () => { this.dragging = false; });
    box.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    new ResizeObserver(() => this.draw()).observe(box);
  }
  ticks() {
    return Math.max(1, this.model.data.time.total > 0 ? this.model.data.time.ticks : 1);
  }
  xOf(time) {
    return this.left + (this.width - this.left - 8) * time / this.ticks();
  }
  timeOf(x) {
    return Math.max(
      0, Math.min(this.ticks(), (x - this.left) / (this.width - this.left - 8) * this.ticks()));
  }
  press(event) {
    const x = event.clientX - this.box.getBoundingClientRect().left;
    this.page.stop();
    this.page.goTo(Math.round(this.timeOf(x)));
    event.preventDefault();
  }
  /* A row is a stream, or where there are too many a rank. */
  rows() {
    const streams =
      this.model.streams.filter(stream => stream.shown && this.page.hasRank(stream.rank));
    if (streams.length * 4 <= this.height)
      return streams.map(stream => ({ rank: stream.rank, streams: [stream] }));
    const ranks = new Map();
    for (const stream of streams) ranks.set(stream.rank, [...ranks.get(stream.rank) || [], stream]);
    return [...ranks].map(([rank, list]) => ({ rank, streams: list }));
  }
  hover(event) {
    const bounds = this.box.getBoundingClientRect(), x = event.clientX - bounds.left,
          y = event.clientY - bounds.top;
    const row = this.drawnRows && this.drawnRows[Math.floor((y - 2) / this.rowHeight)];
    const under = row && x >= this.left
      ? row.streams.map(stream => this.taskAt(stream, this.timeOf(x))).filter(one => one >= 0)
      : [];
    const task = under.find(one => this.model.kind[one] < NOTIFY) ?? under[0] ?? NONE;
    this.tip.hidden = task < 0;
    if (task < 0) return;
    const stream = this.model.streams[this.model.streamOf[task]];
    this.tip.textContent = `rank ${stream.rank} ${stream.name} · ${this.model.taskText(task)} · ${
      this.page.timeText(this.model.begin[task])} – ${this.page.timeText(this.model.end[task])}`;
    this.tip.style.left = `${Math.min(x + 12, bounds.width - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${Math.max(2, Math.min(y + 14, bounds.height - 26))}px`;
  }
  taskAt(stream, time) {
    let low = stream.first, high = stream.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.model.end[middle] < time && !this.model.isStopped(middle)) low = middle + 1;
      else high = middle;
    }
    return low < stream.end && !this.model.isStopped(low) ? low : NONE;
  }

  draw() {
    const { model, page } = this,
                        ratio = document.documentElement.classList.contains("paper")
      ? 4
      : window.devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    this.height = this.box.clientHeight;
    if (!this.width || !this.height) return;
    this.still.width = Math.round(this.width * ratio);
    this.still.height = Math.round(this.height * ratio);
    const pen = this.still.getContext("2d");
    pen.scale(ratio, ratio);
    this.drawnRows = this.rows();
    this.rowHeight = Math.min(22, (this.height - 4) / Math.max(1, this.drawnRows.length));
    this.rowOf =
      new Map(this.drawnRows.flatMap((row, i) => row.streams.map(stream => [stream.index, i])));
    this.drawnRows.forEach((row, i) => this.drawRow(pen, row, 2 + i * this.rowHeight));
    this.drawNames(pen);
    this.drawPath(pen);
    if (page.search && page.search.found.length && page.search.found.length < 20000)
      this.drawFound(pen);
    this.showTime();
  }
  drawRow(pen, row, top) {
    const height = Math.max(1,
      this.rowHeight -
        (this.rowHeight > 5      ? 2
            : this.rowHeight > 2 ? 0.6
                                 : 0));
    pen.fillStyle = colours.names.ground;
    pen.fillRect(this.left, top, this.width - this.left - 8, height);
    /* Where one stream of a rank works, it does not matter that others wait. */
    for (const stream of row.streams) this.drawWaits(pen, stream, top, height);
    for (const stream of row.streams) this.drawStream(pen, stream, top, height);
  }
  drawWaits(pen, stream, top, height) {
    const { model } = this;
    pen.fillStyle = colours.names.line;
    for (let task = stream.first; task < stream.end && !model.isStopped(task); task++) {
      if (model.kind[task] !== WAIT) continue;
      const ready = this.xOf(model.ready[task]), end = this.xOf(model.end[task]);
      if (end - ready > 1)
        pen.fillRect(ready, top + height * 0.42, end - ready, Math.max(1, height * 0.16));
    }
  }
  /* Bars that would be thinner than a point join those before, so that a busy row looks busy. */
  drawStream(pen, stream, top, height) {
    const { model, page } = this, { phases } = model.data, { names } = colours;
    let last = -1;
    for (let task = stream.first; task < stream.end && !model.isStopped(task); task++) {
      const begin = this.xOf(model.begin[task]), end = this.xOf(model.end[task]);
      if (model.kind[task] >= NOTIFY || end <= last) continue;
      last = Math.max(end, begin + 0.6);
      const witness = model.witnesses.has(task);
      pen.globalAlpha = page.hasPhase(task) ? 1 : 0.12;
      pen.fillStyle = witness ? names.bad : colours.line(phases, model.phase[task]);
      pen.fillRect(begin, top, Math.max(0.6, end - begin - (end - begin > 3 ? 0.7 : 0)), height);
      if (witness) pen.fillRect(begin - 1.5, top - 1, Math.max(4, end - begin), height + 2);
    }
    pen.globalAlpha = 1;
    this.drawStopped(pen, stream, top, height);
  }
  /* Where a stream is stuck: red to the end. */
  drawStopped(pen, stream, top, height) {
    const { model } = this;
    let at = stream.first;
    while (at < stream.end && !model.isStopped(at)) at++;
    if (at === stream.end) return;
    const x = at > stream.first ? this.xOf(model.end[at - 1]) : this.left;
    pen.fillStyle = colours.names.bad;
    pen.globalAlpha = 0.18;
    pen.fillRect(x, top, this.width - 8 - x, height);
    pen.globalAlpha = 1;
    pen.fillRect(x, top, 3, height);
  }
  drawNames(pen) {
    pen.fillStyle = colours.names.muted;
    pen.font = "11px ui-monospace, monospace";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    /* A name a rank; of many every second, fourth, ... */
    const firsts = this.drawnRows
      .flatMap(({ rank }, i) => i && this.drawnRows[i - 1].rank === rank ? [] : [i]);
    let every = 1;
    while (every * this.drawnRows.length * this.rowHeight < 12 * firsts.length) every *= 2;
    firsts.forEach((row, i) => {
      if (i % every) return;
      const y = Math.max(7, Math.min(this.height - 6, 2 + (row + 0.45) * this.rowHeight));
      pen.fillText(String(this.drawnRows[row].rank), this.left - 7, y);
    });
  }
  /* What the whole takes so long for: a line below the tasks of the critical path. */
  drawPath(pen) {
    const { model, rowOf } = this;
    if (this.rowHeight < 4) return;
    pen.strokeStyle = colours.names.ink;
    pen.lineWidth = 2;
    pen.beginPath();
    let before = null;
    for (const task of model.data.path) {
      const row = rowOf.get(model.streamOf[task]);
      if (row === undefined) continue;
      const y = 2 + (row + 1) * this.rowHeight - 1.6, begin = this.xOf(model.begin[task]),
            end = this.xOf(model.end[task]);
      if (before && before[1] !== y) {
        pen.moveTo(before[0], before[1]);
        pen.lineTo(begin, y);
      }
      pen.moveTo(begin, y);
      pen.lineTo(end, y);
      before = [end, y];
    }
    pen.stroke();
  }
  drawFound(pen) {
    pen.fillStyle = colours.names.select;
    for (const task of this.page.search.found) {
      const row = this.rowOf.get(this.model.streamOf[task]);
      if (row === undefined || this.model.isStopped(task)) continue;
      pen.fillRect(this.xOf(this.model.end[task]) - 1, 2 + row * this.rowHeight, 2,
        Math.max(2, this.rowHeight - 2));
    }
  }
  showTime() {
    const { page } = this;
    this.line.style.transform = `translateX(${this.xOf(page.time)}px)`;
    dress(this.box, { "aria-valuenow": String(page.step), "aria-valuetext": page.whereText() });
  }
}
