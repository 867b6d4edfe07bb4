/* model.js - the schedule of this page, and what its memory holds after any number of steps. Knows
 * nothing of the document. */

const KINDS = ["LocalCopy", "LocalReduce", "Send", "SendReduce", "Notify", "Wait"];
const COPY = 0, REDUCE = 1, SEND = 2, SEND_REDUCE = 3, NOTIFY = 4, WAIT = 5;
const BUFFERS = ["input", "output", "scratch"];
const NONE = -1;

/* first, distance, count, over and over -> the numbers. */
function expandRuns(runs, count) {
  const numbers = new Int32Array(count);
  let at = 0;
  for (let i = 0; i < runs.length; i += 3)
    for (let k = 0; k < runs[i + 2]; k++) numbers[at++] = runs[i] + k * runs[i + 1];
  return numbers;
}

/* Sums as trees, each once: equal trees, operand for operand, have one id. The proof's trees come
 * first, with its numbers. */
class Trees {
  constructor(nodes) {
    this.left = [];
    this.right = [];
    this.leaves = [];
    this.low = [];
    this.high = [];
    this.known = new Map();
    for (let i = 0; nodes && i < nodes.length; i += 2)
      if (nodes[i] === NONE) this.leaf(nodes[i + 1]);
      else this.add(nodes[i], nodes[i + 1]);
  }
  make(key, left, right, leaves, low, high) {
    let id = this.known.get(key);
    if (id !== undefined) return id;
    id = this.left.length;
    this.left.push(left);
    this.right.push(right);
    this.leaves.push(leaves);
    this.low.push(low);
    this.high.push(high);
    this.known.set(key, id);
    return id;
  }
  leaf(shard) {
    return this.make(`leaf ${shard}`, NONE, shard, 1, shard, shard);
  }
  /* What came from a rank that is not shown: so many shards, of low..high. */
  part(leaves, low, high) {
    return leaves === 0 ? NONE : leaves === 1 ? this.leaf(low)
      : this.make(`part ${leaves} ${low} ${high}`, NONE - 1, NONE, leaves, low, high);
  }
  /* `to op from`; with an operand that is undefined so is the sum. */
  add(to, from) {
    if (to === NONE || from === NONE) return NONE;
    return this.make(to * 0x4000000 + from, to, from, this.leaves[to] + this.leaves[from],
      Math.min(this.low[to], this.low[from]), Math.max(this.high[to], this.high[from]));
  }
  isSum(id) {
    return id >= 0 && this.left[id] >= 0;
  }
  isPart(id) {
    return id >= 0 && this.left[id] === NONE - 1;
  }
  /* Operands in the order of their smallest leaf, as the proof prints them. */
  operands(id) {
    const a = this.left[id], b = this.right[id];
    return this.low[b] < this.low[a] ? [b, a] : [a, b];
  }
  /* `((0+1)+(2+3))`; of more leaves than `most` it is cut at a depth. */
  text(id, most = 64) {
    if (id === NONE) return "undefined";
    const deepest = this.leaves[id] > most ? Math.floor(Math.log2(most)) : Infinity;
    const out = [], stack = [[id, 0]];
    while (stack.length) {
      const [node, depth] = stack.pop();
      if (typeof node === "string") out.push(node);
      else if (this.isSum(node) && depth < deepest) {
        const [a, b] = this.operands(node);
        stack.push([")", 0], [b, depth + 1], ["+", 0], [a, depth + 1], ["(", 0]);
      } else if (this.leaves[node] === 1) out.push(String(this.low[node]));
      else {
        const whole = this.high[node] - this.low[node] + 1 === this.leaves[node];
        out.push(whole ? `[${this.low[node]}..${this.high[node]}]`
                       : `[${this.leaves[node]} of ${this.low[node]}..${this.high[node]}]`);
      }
    }
    return out.join("");
  }
}

class Model {
  constructor(data) {
    this.data = data;
    const columns = data.tasks;
    for (const name
           of ["kind", "phase", "peer", "chunk", "count", "src", "dst", "notify", "begin", "end"])
      this[name] = Int32Array.from(columns[name]);
    this.ntask = this.kind.length;
    /* of blocks with counts: how many elements a move has; null: all blocks are equal */
    this.elements = columns.elements ? Float64Array.from(columns.elements) : null;
    this.order = Int32Array.from(data.order);
    this.nstep = this.order.length;
    this.links = data.links || [];
    this.reduces = data.schedule.reduces;
    this.nshard = this.reduces ? data.schedule.shards || data.schedule.ranks : data.schedule.ranks;
    this.shown = data.shown.ranks;
    this.isShown = new Set(this.shown);
    this.takeStreams(data);
    this.takeTimes();
    this.takeMemory(data);
    this.trees = new Trees(data.trees);
    this.twice = new Map();
    this.run(data);
    this.agrees = this.compareWithProof(data);
    this.witnesses =
      new Set(data.verdict.findings.flatMap(finding => finding.tasks).filter(task => task >= 0));
    this.onPath = new Uint8Array(this.ntask);
    for (const task of data.path) this.onPath[task] = 1;
  }

  takeStreams(data) {
    this.streams = data.streams.map(([rank, number, first, end, shown], index) =>
      ({
        index,
        rank,
        number,
        first,
        end,
        shown: shown === 1,
        name: data.stream_names[index],
        via: data.stream_vias ? data.stream_vias[index] : null
      }));
    this.streamOf = new Int32Array(this.ntask);
    this.rankOf = new Int32Array(this.ntask);
    this.streamsOf = new Map(this.shown.map(rank => [rank, []]));
    for (const stream of this.streams) {
      this.streamOf.fill(stream.index, stream.first, stream.end);
      this.rankOf.fill(stream.rank, stream.first, stream.end);
      if (stream.shown) this.streamsOf.get(stream.rank).push(stream);
    }
    this.waiter = new Int32Array(this.ntask).fill(NONE);
    for (let i = 0; i < this.ntask; i++) if (this.notify[i] >= 0) this.waiter[this.notify[i]] = i;
  }

  takeTimes() {
    this.doneAt = new Int32Array(this.ntask).fill(0x7fffffff);
    this.order.forEach((task, i) => { this.doneAt[task] = i + 1; });
    /* Steps at which time goes on, and steps at which a phase is over. */
    this.moments = [0];
    const last = new Map();
    for (let i = 0; i < this.nstep; i++) {
      if (i + 1 === this.nstep || this.end[this.order[i]] !== this.end[this.order[i + 1]])
        this.moments.push(i + 1);
      last.set(this.phase[this.order[i]], i + 1);
    }
    this.phaseEnds = [...new Set([0, ...last.values(), this.nstep])].sort((a, b) => a - b);
    this.ready = new Int32Array(this.ntask);
    for (const stream of this.streams)
      for (let i = stream.first; i < stream.end; i++)
        this.ready[i] = !stream.shown ? this.begin[i] : i === stream.first ? 0 : this.end[i - 1];
  }

  takeMemory(data) {
    this.memory = new Map();
    const scratch = data.schedule.scratch_slots;
    let cells = 0;
    for (const one of data.memory) {
      this.memory.set(one.rank, {
        slots: [one.inputs, one.outputs, scratch],
        base: [cells, cells + one.inputs, cells + one.inputs + one.outputs],
        inputChunk: expandRuns(one.input_chunk, one.inputs),
        inputShard: expandRuns(one.input_shard, one.inputs),
        outputChunk: expandRuns(one.output_chunk, one.outputs),
        alias: one.input_alias ? expandRuns(one.input_alias, one.inputs) : null,
      });
      cells += one.inputs + one.outputs + scratch;
    }
    this.ncell = cells;
  }

  /* NONE: there is no such slot, or it is not shown. In place an input slot may be an output slot.
   */
  cell(rank, buffer, slot) {
    const memory = this.memory.get(rank);
    if (!memory || slot >= memory.slots[buffer]) return NONE;
    if (buffer === 0 && memory.alias && memory.alias[slot] >= 0)
      return memory.base[1] + memory.alias[slot];
    return memory.base[buffer] + slot;
  }
  targetOf(task) {
    return this.kind[task] >= SEND ? this.peer[task] : this.rankOf[task];
  }
  adds(task) {
    return this.kind[task] === REDUCE || this.kind[task] === SEND_REDUCE;
  }

  /* Every write of every step, each with the one before it in its cell: so steps can be taken
   * forwards and back. */
  run(data) {
    let room = 0;
    for (const task of this.order)
      if (this.kind[task] <= SEND_REDUCE) room += Math.min(this.count[task], 1 << 22);
    this.initial = new Int32Array(this.ncell).fill(NONE);
    this.initialChunk = new Int32Array(this.ncell).fill(NONE);
    for (const [rank, memory] of this.memory)
      for (let slot = 0; slot < memory.slots[0]; slot++) {
        const cell = this.cell(rank, 0, slot);
        this.initial[cell] = this.trees.leaf(memory.inputShard[slot]);
        this.initialChunk[cell] = memory.inputChunk[slot];
      }
    this.state = new Int32Array(this.ncell).fill(NONE);
    for (const name of ["writeCell", "writeTree", "writeChunk", "writePrevious", "writeStep"])
      this[name] = new Int32Array(room);
    this.firstWrite = new Int32Array(this.nstep + 1);
    this.madeAt = new Map();
    this.nwrite = 0;
    const incomingAt = this.placeIncoming();
    for (let i = 0; i < this.nstep; i++) {
      this.firstWrite[i] = this.nwrite;
      if (this.kind[this.order[i]] <= SEND_REDUCE)
        this.runMove(this.order[i], i + 1, incomingAt, data.incoming);
    }
    this.firstWrite[this.nstep] = this.nwrite;
    this.step = this.nstep;
    this.final = Int32Array.from(this.state);
  }
  placeIncoming() {
    const places = new Map();
    let at = 0;
    for (const stream of this.streams)
      for (let i = stream.first; !stream.shown && i < stream.end; i++) {
        places.set(i, at);
        at += this.count[i];
      }
    return places;
  }
  runMove(task, step, incomingAt, incoming) {
    const rank = this.rankOf[task], target = this.targetOf(task), adds = this.adds(task);
    const fromBuffer = this.src[task] % 3, toBuffer = this.dst[task] % 3;
    const from = Math.floor(this.src[task] / 3), to = Math.floor(this.dst[task] / 3);
    const facts = incomingAt.get(task);
    for (let k = 0; k < this.count[task]; k++) {
      const cell = this.dst[task] < 0 ? NONE : this.cell(target, toBuffer, to + k);
      if (cell === NONE) {
        if (!this.isShown.has(target) || to + k >= this.memory.get(target).slots[toBuffer]) break;
        continue;
      }
      const source = this.src[task] < 0 ? NONE : this.cell(rank, fromBuffer, from + k);
      let tree = source !== NONE ? this.contents(source) : NONE;
      if (facts !== undefined)
        tree = this.trees.part(...incoming.slice(3 * (facts + k), 3 * (facts + k) + 3));
      if (adds) tree = this.trees.add(this.contents(cell), tree);
      const write = this.nwrite++;
      this.writeCell[write] = cell;
      this.writeTree[write] = tree;
      this.writeChunk[write] = this.chunk[task] + k;
      this.writePrevious[write] = this.state[cell];
      this.writeStep[write] = step;
      this.state[cell] = write;
      if (adds && tree >= 0 && !this.madeAt.has(tree)) this.madeAt.set(tree, write);
    }
  }

  /* Goes to a step, and calls `changed` for every cell on the way. */
  seek(step, changed) {
    while (this.step < step) {
      for (let w = this.firstWrite[this.step]; w < this.firstWrite[this.step + 1]; w++) {
        this.state[this.writeCell[w]] = w;
        if (changed) changed(this.writeCell[w]);
      }
      this.step++;
    }
    while (this.step > step) {
      this.step--;
      for (let w = this.firstWrite[this.step + 1] - 1; w >= this.firstWrite[this.step]; w--) {
        this.state[this.writeCell[w]] = this.writePrevious[w];
        if (changed) changed(this.writeCell[w]);
      }
    }
  }
  /* The tree a cell holds, NONE: undefined; of which chunk; and the task that wrote it. */
  contents(cell) {
    const write = this.state[cell];
    return write < 0 ? this.initial[cell] : this.writeTree[write];
  }
  chunkIn(cell) {
    const write = this.state[cell];
    return write < 0 ? this.initialChunk[cell] : this.writeChunk[write];
  }
  writerOf(cell) {
    const write = this.state[cell];
    return write < 0 ? NONE : this.order[this.writeStep[write] - 1];
  }
  /* Of what a cell holds: nothing, `unknown` what is made of nothing, one contribution, a sum, the
   * whole sum, a sum with something in it twice, or where nothing is added a copy. */
  kindOf(cell) {
    const tree = this.contents(cell);
    if (tree < 0) return this.writerOf(cell) < 0 ? "empty" : "unknown";
    if (this.trees.leaves[tree] === 1) return this.reduces ? "own" : "copy";
    if (this.isTwice(tree)) return "twice";
    return this.trees.leaves[tree] === this.nshard ? "whole" : "sum";
  }
  /* What is proved adds nothing twice. */
  isTwice(tree) {
    if (this.data.verdict.proved) return false;
    let twice = this.twice.get(tree);
    if (twice === undefined) {
      const leaves = this.trees.leaves[tree] <= 4096 ? leavesOf(this.trees, tree) : [];
      twice = leaves.some((leaf, i) => leaf === leaves[i - 1]);
      this.twice.set(tree, twice);
    }
    return twice;
  }
  /* In few letters: r2 is what rank 2 contributes (s2: shard 2), Σ3 a sum of three, c2 chunk 2,
   * 2→5 goes from rank 2 to rank 5. */
  letters(cell) {
    const kind = this.kindOf(cell), tree = this.contents(cell);
    switch (kind) {
      case "empty": return "";
      case "unknown": return "?";
      case "own": return `${this.operandWords(this.trees.low[tree])[0]}${this.trees.low[tree]}`;
      case "copy": return this.chunkLetters(this.chunkIn(cell));
      default: return `Σ${this.trees.leaves[tree]}`;
    }
  }
  /* Of AllToAll a block is named by its two ranks, and after a point the chunk of the block. */
  chunkLetters(chunk) {
    const { operator, ranks, chunks_per_block: parts } = this.data.schedule;
    if (operator !== "AllToAll") return `c${chunk}`;
    const block = Math.floor(chunk / parts);
    return `${Math.floor(block / ranks)}→${block % ranks}${parts > 1 ? `.${chunk % parts}` : ""}`;
  }
  chunkWords(chunk) {
    const { operator, ranks, chunks_per_block: parts } = this.data.schedule;
    if (chunk < 0) return "no chunk";
    if (operator !== "AllToAll") return `chunk ${chunk}`;
    const block = Math.floor(chunk / parts);
    return `chunk ${chunk}, from rank ${Math.floor(block / ranks)} to rank ${block % ranks}`;
  }
  /* One operand: a rank, or where ranks have several a shard. */
  operandWords(leaf) {
    return `${this.nshard === this.data.schedule.ranks ? "rank" : "shard"} ${leaf}`;
  }
  /* A sum as the proof prints it; of what is only copied, whose it is. */
  treeText(tree, chunk, most = 64) {
    if (this.reduces || tree < 0 || this.trees.leaves[tree] > 1) return this.trees.text(tree, most);
    if (this.data.schedule.operator === "AllToAll") return this.chunkWords(chunk);
    return `${this.chunkWords(chunk)} of rank ${this.trees.low[tree]}`;
  }
  /* In full words. */
  words(cell, withTree = true) {
    const tree = this.contents(cell), chunk = this.chunkWords(this.chunkIn(cell));
    const count = tree < 0 ? "none" : plural(this.trees.leaves[tree], "contribution");
    const text = withTree && tree >= 0 ? `: ${this.trees.text(tree, 32)}` : "";
    switch (this.kindOf(cell)) {
      case "empty": return "nothing has been written yet: undefined";
      case "unknown": return "computed from undefined data";
      case "own":
        return `${chunk}: what ${this.operandWords(this.trees.low[tree])} contributes, alone`;
      case "copy": return this.treeText(tree, this.chunkIn(cell));
      case "whole": return `${chunk}: the whole sum, all ${count}${text}`;
      case "twice": return `${chunk}: a sum with something added more than once${text}`;
      default: return `${chunk}: a partial sum, ${count} of ${this.nshard}${text}`;
    }
  }
  slotWords(rank, buffer, slot) {
    return `${this.place(rank, buffer, slot)}: ${this.words(this.cell(rank, buffer, slot))}`;
  }
  /* The longest that letters() can be. */
  longestLetters() {
    const { schedule } = this.data;
    /* An arrow is nearly two letters wide. */
    const longest = this.chunkLetters(schedule.chunks - 1).length;
    if (schedule.operator === "AllToAll") return longest + 0.8;
    if (!this.reduces) return longest;
    return 1 + String(this.nshard).length;
  }
  /* All writes of a cell, first to last, whatever the step is. */
  history(cell) {
    const writes = [];
    for (let w = this.final[cell]; w >= 0; w = this.writePrevious[w]) writes.push(w);
    return writes.reverse();
  }

  /* Do these steps end with the trees that were proved? null: they are not listed here. */
  compareWithProof(data) {
    if (!data.chunk_tree || !data.verdict.digest || !data.shown.all) return null;
    const copies = new Map();
    for (let i = 0; i < data.copies.length; i += 3)
      copies.set(`${data.copies[i]} ${data.copies[i + 1]}`, data.copies[i + 2]);
    let equal = 0, different = 0;
    for (const [rank, memory] of this.memory)
      memory.outputChunk.forEach((chunk, slot) => {
        const wanted = copies.get(`${chunk} ${rank}`) ?? data.chunk_tree[chunk];
        if (this.contents(this.cell(rank, 1, slot)) === wanted) equal++;
        else different++;
      });
    return { equal, different };
  }

  timeAt(step) {
    return step > 0 ? this.end[this.order[step - 1]] : 0;
  }
  /* How many steps are done at a time. */
  stepAt(time) {
    let low = 0, high = this.nstep;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[this.order[middle]] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /* A time near the middle at which data is in flight between ranks; if there is none, the
   * middle. */
  middle() {
    const last = this.timeAt(this.nstep), middle = last / 2;
    let found = middle, least = last / 4;
    for (let task = 0; task < this.ntask; task++) {
      const length = this.end[task] - this.begin[task], kind = this.kind[task];
      if ((kind !== SEND && kind !== SEND_REDUCE) || length <= 0 || this.isStopped(task)) continue;
      /* Not where it only begins, or has nearly arrived. */
      const first = this.begin[task] + 0.3 * length, end = this.end[task] - 0.3 * length;
      const time = Math.max(first, Math.min(end, middle));
      if (Math.abs(time - middle) >= least) continue;
      least = Math.abs(time - middle);
      found = time;
    }
    return found;
  }
  /* Where the first finding is to be seen: the step, its tasks and the slot it names. null:
   * there is none. */
  fault() {
    const finding = this.data.verdict.findings[0];
    if (!finding) return null;
    const tasks = finding.tasks.filter(task => task >= 0),
      named = /rank (\d+), (input|output|scratch) slot (\d+)/.exec(finding.text);
    let slot = named ? [Number(named[1]), BUFFERS.indexOf(named[2]), Number(named[3])] : null;
    if (slot && this.cell(...slot) === NONE) slot = null;
    /* Outputs are judged at the end, and there a schedule that is stuck stands still. */
    const atEnd = finding.rule === "R11" || tasks.some(task => this.isStopped(task));
    if (!atEnd && !tasks.length) return slot ? { finding, tasks, slot, step: this.nstep } : null;
    const step = atEnd ? this.nstep : Math.max(...tasks.map(task => this.doneAt[task]));
    return { finding, tasks, slot, step };
  }
  isDone(task) {
    return this.doneAt[task] <= this.step;
  }
  isStopped(task) {
    return this.doneAt[task] === 0x7fffffff;
  }
  /* The next and the last step of a list of ascending steps. */
  static after(steps, step) {
    return steps.find(one => one > step) ?? steps[steps.length - 1];
  }
  static before(steps, step) {
    return steps.findLast(one => one < step) ?? 0;
  }

  place(rank, buffer, slot) {
    return `rank ${rank}, ${BUFFERS[buffer]} ${slot}`;
  }
  slotsText(place, count) {
    if (place < 0) return "no slot";
    const slot = Math.floor(place / 3);
    return `${BUFFERS[place % 3]} ${slot}${count > 1 ? `..${slot + count - 1}` : ""}`;
  }
  chunksText(task) {
    const first = this.chunk[task], count = this.count[task];
    return count > 1 ? `chunks ${first}..${first + count - 1}` : `chunk ${first}`;
  }
  /* As schedules print it: `Send 1 chunk 3 input 3 -> scratch 1`. */
  taskText(task) {
    const kind = this.kind[task], name = KINDS[kind];
    if (kind >= NOTIFY) return `${name} ${this.peer[task]} signal ${this.chunk[task]}`;
    const peer = kind >= SEND ? ` ${this.peer[task]}` : "";
    return `${name}${peer} ${this.chunksText(task)} ${
      this.slotsText(
        this.src[task], this.count[task])} → ${this.slotsText(this.dst[task], this.count[task])}${
      this.elements ? `, ${this.elements[task]} elements` : ""}`;
  }
  phaseName(task) {
    return this.phase[task] < 0 ? "" : this.data.phases.names[this.phase[task]];
  }
  /* Which one of its stream it is; of a rank not shown that is not known. */
  numberOf(task) {
    return task - this.streams[this.streamOf[task]].first;
  }
  searchText(task) {
    const stream = this.streams[this.streamOf[task]];
    return `rank ${stream.rank} r${stream.rank} ${stream.name} task ${this.numberOf(task)} ${
      this.taskText(task)} ${this.phaseName(task)}`
      .toLowerCase();
  }
}
